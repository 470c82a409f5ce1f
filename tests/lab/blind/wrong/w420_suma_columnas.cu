// Suma de cada columna de una matriz (filas x columnas, por filas).
// Cada bloque recorre un trozo de filas y acumula en la salida con atomicAdd.
// Se repite varias veces para medir el tiempo.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

const int HILOS = 128;
const int FILAS_POR_BLOQUE = 64;

__global__ void sumaColumnas(const float *m, float *suma, int filas, int columnas)
{
    int c = blockIdx.x * HILOS + threadIdx.x;
    int f0 = blockIdx.y * FILAS_POR_BLOQUE;
    int f1 = min(f0 + FILAS_POR_BLOQUE, filas);
    if (c >= columnas)
        return;

    float s = 0.0f;
    for (int f = f0; f < f1; f++)
        s += m[(size_t)f * columnas + c];
    atomicAdd(&suma[c], s);
}

int main()
{
    const int filas = 1000, columnas = 300, repeticiones = 10;
    std::vector<float> h((size_t)filas * columnas), r(columnas);
    for (size_t i = 0; i < h.size(); i++)
        h[i] = (float)((i * 31) % 19) - 6.0f;

    float *dM, *dS;
    cudaMalloc(&dM, h.size() * sizeof(float));
    cudaMalloc(&dS, columnas * sizeof(float));
    cudaMemcpy(dM, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 bloques((columnas + HILOS - 1) / HILOS,
                 (filas + FILAS_POR_BLOQUE - 1) / FILAS_POR_BLOQUE);

    cudaEvent_t inicio, fin;
    cudaEventCreate(&inicio);
    cudaEventCreate(&fin);
    cudaEventRecord(inicio);
    for (int i = 0; i < repeticiones; i++) {
        cudaMemset(dS, 0, columnas);
        sumaColumnas<<<bloques, HILOS>>>(dM, dS, filas, columnas);
    }
    cudaEventRecord(fin);
    cudaEventSynchronize(fin);
    float ms = 0.0f;
    cudaEventElapsedTime(&ms, inicio, fin);
    cudaMemcpy(r.data(), dS, columnas * sizeof(float), cudaMemcpyDeviceToHost);

    int errores = 0;
    for (int c = 0; c < columnas; c++) {
        double ref = 0.0;
        for (int f = 0; f < filas; f++)
            ref += h[(size_t)f * columnas + c];
        if (!(fabs(ref - r[c]) < 1e-2))
            errores++;
    }
    printf("%.3f ms por vuelta, %d columnas mal\n", ms / repeticiones, errores);
    cudaFree(dM);
    cudaFree(dS);
    return errores != 0;
}
