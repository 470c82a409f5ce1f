// Trabalho 2: C = alfa * A * B + beta * C   (A: m x k, B: k x n, C: m x n)
// Qualquer tamanho. Cada thread calcula dois elementos vizinhos na linha.
#include <cuda_runtime.h>
#include <iostream>

namespace {

constexpr int ALTURA = 16;              // linhas de C por bloco
constexpr int LARGURA = 32;             // colunas de C por bloco
constexpr int FUNDO = 16;               // profundidade do ladrilho

template <typename Real>
__global__ void gemm(int m, int n, int k, Real alfa, const Real* A, const Real* B,
                     Real beta, Real* C)
{
    __shared__ Real ladA[ALTURA][FUNDO];
    __shared__ Real ladB[FUNDO][LARGURA];

    const int tx = threadIdx.x;         // 0 .. 15
    const int ty = threadIdx.y;         // 0 .. 15
    const int lin = blockIdx.y * ALTURA + ty;
    const int col1 = blockIdx.x * LARGURA + tx;
    const int col2 = col1 + LARGURA / 2;

    Real soma1 = 0, soma2 = 0;

    for (int k0 = 0; k0 < k; k0 += FUNDO) {
        const int ka = k0 + tx;
        const int kb = k0 + ty;
        ladA[ty][tx] = (lin < m && ka < k) ? A[(size_t)lin * k + ka] : Real(0);
        ladB[ty][tx] = (kb < k && col1 < n) ? B[(size_t)kb * n + col1] : Real(0);
        ladB[ty][tx + LARGURA / 2] = (kb < k && col2 < n) ? B[(size_t)kb * n + col2] : Real(0);
        __syncthreads();

        for (int p = 0; p < FUNDO; ++p) {
            const Real a = ladA[ty][p];
            soma1 += a * ladB[p][tx];
            soma2 += a * ladB[p][tx + LARGURA / 2];
        }
        __syncthreads();
    }

    if (lin >= m)
        return;
    Real* linhaC = C + (size_t)lin * n;
    if (col1 < n)
        linhaC[col1] = alfa * (soma1 + beta * linhaC[col1]);
    if (col2 < n)
        linhaC[col2] = alfa * (soma2 + beta * linhaC[col2]);
}

} // namespace

// Ponteiros do dispositivo; C ja vem preenchida.
void gemmDouble(int m, int n, int k, double alfa, const double* A, const double* B,
                double beta, double* C)
{
    dim3 bloco(16, 16);
    dim3 grade((n + LARGURA - 1) / LARGURA, (m + ALTURA - 1) / ALTURA);
    gemm<double><<<grade, bloco>>>(m, n, k, alfa, A, B, beta, C);
    cudaError_t erro = cudaGetLastError();
    if (erro != cudaSuccess)
        std::cerr << "gemm: " << cudaGetErrorString(erro) << std::endl;
}
