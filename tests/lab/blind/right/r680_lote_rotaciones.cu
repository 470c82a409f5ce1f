// Lote de productos pequeños (matrices de rotación, densidades locales...):
//     C_b = A_b * B_b ,   b = 0 .. lote-1
// Cada matriz está guardada por filas y contigua a la siguiente.
// Límites: lote <= 65535, m, n, k entre 1 y 100000.

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

struct Dims {
    int m, n, k;
    int lote;
};

__global__ void productoLote(Dims d, const float *A, const float *B, float *C)
{
    int col  = blockIdx.x * blockDim.x + threadIdx.x;
    int fila = blockIdx.y * blockDim.y + threadIdx.y;
    int b    = blockIdx.z;

    if (fila < d.m && col < d.n) {
        const float *a  = A + (size_t)b * d.m * d.k + (size_t)fila * d.k;
        const float *bb = B + (size_t)b * d.k * d.n + col;
        float suma = 0.f;
        for (int l = 0; l < d.k; ++l)
            suma += a[l] * bb[(size_t)l * d.n];
        C[((size_t)b * d.m + fila) * d.n + col] = suma;
    }
}

static void revisa(cudaError_t e, const char *donde)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", donde, cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}

// Los punteros hA, hB, hC están en el host.
void multiplicaLote(Dims d, const float *hA, const float *hB, float *hC)
{
    size_t nA = sizeof(float) * (size_t)d.m * d.k * d.lote;
    size_t nB = sizeof(float) * (size_t)d.k * d.n * d.lote;
    size_t nC = sizeof(float) * (size_t)d.m * d.n * d.lote;
    float *A, *B, *C;
    revisa(cudaMalloc((void **)&A, nA), "malloc A");
    revisa(cudaMalloc((void **)&B, nB), "malloc B");
    revisa(cudaMalloc((void **)&C, nC), "malloc C");
    revisa(cudaMemcpy(A, hA, nA, cudaMemcpyHostToDevice), "copia A");
    revisa(cudaMemcpy(B, hB, nB, cudaMemcpyHostToDevice), "copia B");

    dim3 hilos(8, 8);
    dim3 bloques((d.n + 7) / 8, (d.m + 7) / 8, d.lote);
    productoLote<<<bloques, hilos>>>(d, A, B, C);
    revisa(cudaGetLastError(), "kernel");

    revisa(cudaMemcpy(hC, C, nC, cudaMemcpyDeviceToHost), "copia C");
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
}
