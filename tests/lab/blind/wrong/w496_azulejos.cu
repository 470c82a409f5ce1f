// Multiplicação de matrizes com azulejos: C(m x p) = A(m x n) * B(n x p), por linhas.
// Bloco: dim3(LADO, LADO).  Grade: dim3(ceil(p/LADO), ceil(m/LADO)).  m, n, p de 1 a 1000000.
#include <cuda_runtime.h>

#define LADO 16

__global__ void multiplica(const float *A, const float *B, float *C, int m, int n, int p)
{
    __shared__ float azA[LADO][LADO];
    __shared__ float azB[LADO][LADO];

    const int lx = threadIdx.x;
    const int ly = threadIdx.y;
    const int coluna = blockIdx.x * LADO + lx;
    const int linha = blockIdx.y * LADO + ly;

    float soma = 0.0f;
    const int passos = (n + LADO - 1) / LADO;

    for (int s = 0; s < passos; ++s) {
        const int ca = s * LADO + lx;
        const int lb = s * LADO + ly;

        if (linha < m && ca < n)
            azA[ly][lx] = A[(size_t)linha * n + ca];
        else
            azA[ly][lx] = 0.0f;

        if (lb < n && coluna < p)
            azB[ly][lx] = B[(size_t)lb * p + coluna];
        else
            azB[ly][lx] = 0.0f;

        __syncthreads();

#pragma unroll
        for (int k = 0; k < LADO; ++k)
            soma += azA[ly][k] * azB[k][lx];
    }

    if (linha < m && coluna < p)
        C[(size_t)linha * p + coluna] = soma;
}
