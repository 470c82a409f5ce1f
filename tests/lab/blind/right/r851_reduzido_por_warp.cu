#include <cuda_runtime.h>

// Produto reduzido, um warp para cada elemento de R (m x n, por linhas):
//     R(i,j) = (A[2i] + A[2i+1]) . (B[:,2j] + B[:,2j+1])
// A (2m x k) está por linhas; B (k x 2n) está por COLUNAS, ou seja, a coluna c
// começa em B + c*k.  O bloco é 1D e múltiplo de 32; a grade é 1D, de qualquer tamanho.
__global__ void reduzidoPorWarp(const float *A, const float *B, float *R, int m, int n, int k)
{
    const int faixa  = threadIdx.x % 32;
    const int porBloco = blockDim.x / 32;
    const long long total = (long long)m * n;
    const long long passo = (long long)gridDim.x * porBloco;

    for (long long e = (long long)blockIdx.x * porBloco + threadIdx.x / 32; e < total; e += passo) {
        const long long i = e / n, j = e % n;
        const float *l0 = A + 2 * i * k, *l1 = l0 + k;
        const float *c0 = B + 2 * j * k, *c1 = c0 + k;

        float soma = 0.f;
        for (int p = faixa; p < k; p += 32)
            soma += (l0[p] + l1[p]) * (c0[p] + c1[p]);

        // todos os 32 participam: e é igual em todo o warp
        for (int d = 16; d; d >>= 1)
            soma += __shfl_xor_sync(0xffffffffu, soma, d);

        if (faixa == 0)
            R[e] = soma;
    }
}

void reduzido(const float *dA, const float *dB, float *dR, int m, int n, int k)
{
    int blocos = (int)(((long long)m * n + 3) / 4);
    if (blocos > 1024) blocos = 1024;
    if (blocos > 0)
        reduzidoPorWarp<<<blocos, 128>>>(dA, dB, dR, m, n, k);
}
