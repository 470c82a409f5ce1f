// Lista 3, exercício 1
// y = A x  com um warp para cada linha, soma com shuffle. A: linhas x colunas.
// Serve para qualquer número de linhas (até 60 milhões) e de colunas.
#include <cuda_runtime.h>

#define THREADS 256
#define WARP 32

__inline__ __device__ float reduzWarp(float val)
{
    for (int mask = WARP / 2; mask > 0; mask /= 2)
        val += __shfl_xor_sync(0xffffffff, val, mask);
    return val;
}

__global__ void matrizVetor(const float *A, const float *x, float *y, int linhas, int colunas)
{
    int idGlobal = blockIdx.x * blockDim.x + threadIdx.x;
    int linha = idGlobal / WARP;
    int lane  = idGlobal % WARP;

    if (linha < linhas) {
        float parcial = 0.0f;
        for (int c = lane; c < colunas; c += WARP)
            parcial += A[(size_t)linha * colunas + c] * x[c];
        parcial = reduzWarp(parcial);
        if (lane == 0)
            y[linha] = parcial;
    }
}

// A, x, y na memória do host
void calcula(const float *A, const float *x, float *y, int linhas, int colunas)
{
    float *dA, *dx, *dy;
    size_t tamA = sizeof(float) * (size_t)linhas * colunas;

    cudaMalloc((void **)&dA, tamA);
    cudaMalloc((void **)&dx, sizeof(float) * colunas);
    cudaMalloc((void **)&dy, sizeof(float) * linhas);

    cudaMemcpy(dA, A, tamA, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, sizeof(float) * colunas, cudaMemcpyHostToDevice);

    int blocos = (linhas + THREADS - 1) / THREADS;
    matrizVetor<<<blocos, THREADS>>>(dA, dx, dy, linhas, colunas);

    cudaMemcpy(y, dy, sizeof(float) * linhas, cudaMemcpyDeviceToHost);

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
}
