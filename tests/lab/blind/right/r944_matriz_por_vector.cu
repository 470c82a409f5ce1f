#include <cuda_runtime.h>

// y = A * x. Un hilo por fila; el vector pasa por memoria compartida a trozos.
template <int TROZO>
__global__ void matriz_vector(const double *A, const double *x, double *y,
                              int filas, int columnas)
{
    __shared__ double trozo[TROZO];
    int fila = blockIdx.x * blockDim.x + threadIdx.x;
    double suma = 0.0;

    for (int ini = 0; ini < columnas; ini += TROZO) {
        int largo = columnas - ini < TROZO ? columnas - ini : TROZO;

        for (int i = threadIdx.x; i < largo; i += blockDim.x)
            trozo[i] = x[ini + i];
        __syncthreads();

        if (fila < filas)
            for (int i = 0; i < largo; i++)
                suma += A[(long long)fila * columnas + ini + i] * trozo[i];
        __syncthreads();
    }

    if (fila < filas)
        y[fila] = suma;
}

void multiplicar(const double *A, const double *x, double *y, int filas, int columnas)
{
    const int hilos = 96;
    int bloques = (filas + hilos - 1) / hilos;
    matriz_vector<128><<<bloques, hilos>>>(A, x, y, filas, columnas);
}
