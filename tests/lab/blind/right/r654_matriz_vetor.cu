#include <cstdio>
#include <cuda_runtime.h>

// y = A x, um warp por linha da matriz.
// Cada bloco tem 4 warps e portanto cuida de 4 linhas.
#define WARPS_POR_BLOCO 4

__device__ float somaWarp(float v)
{
    for (int d = 16; d >= 1; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void matvec(const float *A, const float *x, float *y, int linhas, int colunas)
{
    int faixa = threadIdx.x;                                  // 0..31
    int linha = blockIdx.x * WARPS_POR_BLOCO + threadIdx.y;   // a mesma em todo o warp
    if (linha >= linhas) return;

    float s = 0.0f;
    for (int j = faixa; j < colunas; j += 32)
        s += A[(size_t)linha * colunas + j] * x[j];
    s = somaWarp(s);
    if (faixa == 0)
        y[linha] = s;
}

int main()
{
    const int linhas = 1002, colunas = 333;
    float *A, *x, *y;
    cudaMallocManaged(&A, sizeof(float) * linhas * colunas);
    cudaMallocManaged(&x, sizeof(float) * colunas);
    cudaMallocManaged(&y, sizeof(float) * linhas);

    for (int i = 0; i < linhas; i++)
        for (int j = 0; j < colunas; j++)
            A[i * colunas + j] = (float)((i + 2 * j) % 10);
    for (int j = 0; j < colunas; j++)
        x[j] = (float)(j % 4);

    dim3 bloco(32, WARPS_POR_BLOCO);
    int blocos = (linhas + WARPS_POR_BLOCO - 1) / WARPS_POR_BLOCO;
    matvec<<<blocos, bloco>>>(A, x, y, linhas, colunas);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("erro na GPU\n");
        return 1;
    }

    int erros = 0;
    for (int i = 0; i < linhas; i++) {
        float s = 0.0f;
        for (int j = 0; j < colunas; j++) s += A[i * colunas + j] * x[j];
        if (s != y[i]) erros++;
    }
    printf("linhas com erro: %d\n", erros);
    cudaFree(A);
    cudaFree(x);
    cudaFree(y);
    return erros > 0;
}
