// Ejercicio 9: maximo de cada fila de una matriz (filas y columnas >= 1, cualesquiera)
// Un bloque de HILOS hilos por fila.
#include <cstdio>
#include <cstdlib>
#include <vector>

const int HILOS = 128;

__device__ int mayor(int a, int b) { return a > b ? a : b; }

__global__ void maximosPorFila(const int *datos, int *maximos, int columnas)
{
    __shared__ int parcial[HILOS];
    const int *fila = datos + blockIdx.x * columnas;
    int t = threadIdx.x;

    int m = fila[t];
    for (int c = t + HILOS; c < columnas; c += HILOS)
        m = mayor(m, fila[c]);
    parcial[t] = m;
    __syncthreads();

    for (int s = HILOS / 2; s > 0; s >>= 1) {
        if (t < s)
            parcial[t] = mayor(parcial[t], parcial[t + s]);
        __syncthreads();
    }
    if (t == 0)
        maximos[blockIdx.x] = parcial[0];
}

int main(int argc, char **argv)
{
    int filas = argc > 1 ? atoi(argv[1]) : 60;
    int columnas = argc > 2 ? atoi(argv[2]) : 50;

    std::vector<int> h(filas * columnas), r(filas);
    for (int i = 0; i < filas * columnas; i++)
        h[i] = (i / columnas) * 1000 + rand() % 1000;

    int *d, *dm;
    cudaMalloc(&d, h.size() * sizeof(int));
    cudaMalloc(&dm, filas * sizeof(int));
    cudaMemcpy(d, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice);
    maximosPorFila<<<filas, HILOS>>>(d, dm, columnas);
    cudaMemcpy(r.data(), dm, filas * sizeof(int), cudaMemcpyDeviceToHost);

    int errores = 0;
    for (int i = 0; i < filas; i++) {
        int m = h[i * columnas];
        for (int j = 1; j < columnas; j++)
            if (h[i * columnas + j] > m) m = h[i * columnas + j];
        if (m != r[i]) errores++;
    }
    printf("filas con error: %d\n", errores);
    cudaFree(d);
    cudaFree(dm);
    return errores != 0;
}
