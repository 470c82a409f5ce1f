// C = A * B^T com inteiros
//   A: M x K      B: N x K (cada LINHA de B e' uma coluna de B^T)      C: M x N
// Garantido por quem chama: M, N e K sao multiplos de 16 (maiores que 0).
// Cada matriz tem menos de 2^31 elementos.
// Blocos 1D de 256 threads; os indices 2D saem de divisao e resto.
#include <cuda_runtime.h>

#define LADO 16
#define A_(i, j) A[(i) * K + (j)]
#define B_(i, j) B[(i) * K + (j)]
#define C_(i, j) C[(i) * N + (j)]

__global__ void vezesTransposta(const int *A, const int *B, long long *C,
                                int M, int N, int K)
{
    __shared__ int blocoA[LADO][LADO];
    __shared__ int blocoB[LADO][LADO + 1];

    int linha  = threadIdx.x / LADO;
    int coluna = threadIdx.x % LADO;

    // os blocos da grade tambem sao 1D: percorremos C linha de blocos a linha de blocos
    int blocosPorLinha = N / LADO;
    int i0 = (blockIdx.x / blocosPorLinha) * LADO;
    int j0 = (blockIdx.x % blocosPorLinha) * LADO;

    long long soma = 0;
    for (int k0 = 0; k0 < K; k0 += LADO)
    {
        blocoA[linha][coluna] = A_(i0 + linha, k0 + coluna);
        blocoB[linha][coluna] = B_(j0 + linha, k0 + coluna);
        __syncthreads();

        for (int k = 0; k < LADO; k++)
            soma += (long long)blocoA[linha][k] * blocoB[coluna][k];
        __syncthreads();
    }
    C_(i0 + linha, j0 + coluna) = soma;
}

void calcular(const int *dA, const int *dB, long long *dC, int M, int N, int K)
{
    int blocos = (M / LADO) * (N / LADO);
    vezesTransposta<<<blocos, LADO * LADO>>>(dA, dB, dC, M, N, K);
    cudaDeviceSynchronize();
}
