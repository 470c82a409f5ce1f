// Produto reduzido: cada elemento de C é a soma de um quadrado 2x2 de A*B.
//   A tem 2m linhas e k colunas, B tem k linhas e 2n colunas, C é m x n.
// Em vez de calcular A*B por inteiro, as somas de pares são feitas na hora de
// carregar os ladrilhos na memória compartilhada.
// m, n, k >= 1, cada um até 20000.
#include <cuda_runtime.h>

struct Args {
    const float* A;
    const float* B;
    float* C;
    int m, n, k;      // tamanho de C e dimensão comum
};

template <int L>
__global__ void __launch_bounds__(L* L) produtoReduzido(const Args g)
{
    __shared__ float somaLinhas[L][L];
    __shared__ float somaColunas[L][L];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * L + ty;
    const int j = blockIdx.x * L + tx;
    const int largura = 2 * g.n;

    float total = 0.f;
    const int passos = (g.k + L - 1) / L;

    for (int p = 0; p < passos; ++p) {
        const int ka = p * L + tx;
        const int kb = p * L + ty;

        float a = 0.f;
        if (i < g.m && ka < g.k) {
            const size_t pos = static_cast<size_t>(2 * i) * g.k + ka;
            a = g.A[pos] + g.A[pos + g.k];
        }

        float b = 0.f;
        if (j < g.n && kb < g.k) {
            const size_t pos = static_cast<size_t>(kb) * largura + 2 * j;
            b = g.B[pos] + g.B[pos + 1];
        }

        somaLinhas[ty][tx] = a;
        somaColunas[ty][tx] = b;
        __syncthreads();

#pragma unroll 8
        for (int q = 0; q < L; ++q)
            total += somaLinhas[ty][q] * somaColunas[q][tx];

        __syncthreads();
    }

    if (i < g.m && j < g.n)
        g.C[static_cast<size_t>(i) * g.n + j] = total;
}

cudaError_t executar(const Args& g, cudaStream_t fila)
{
    constexpr int L = 32;
    const dim3 bloco(L, L);
    const dim3 grade((g.n + L - 1) / L, (g.m + L - 1) / L);
    produtoReduzido<L><<<grade, bloco, 0, fila>>>(g);
    return cudaGetLastError();
}
