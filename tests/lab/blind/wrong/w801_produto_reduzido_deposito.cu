// Produto reduzido: C[i][j] = soma dos elementos (2i,2j), (2i,2j+1), (2i+1,2j), (2i+1,2j+1)
// de A*B. A tem 2*m linhas e p colunas, B tem p linhas e 2*n colunas, C é m x n.
// Valem quaisquer m, n, p entre 1 e 10000.
#include <cuda_runtime.h>

constexpr int LADO = 16;

template <class Leitura>
__device__ __forceinline__ void depositar(float& destino, bool dentro, Leitura leitura)
{
    if (dentro) destino = leitura();
}

__global__ void produtoReduzido(const float* __restrict__ A, const float* __restrict__ B,
                                float* __restrict__ C, int m, int n, int p)
{
    __shared__ float linhas[LADO][LADO];     // somas de pares de linhas de A
    __shared__ float colunas[LADO][LADO];    // somas de pares de colunas de B

    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * LADO + y;
    const int j = blockIdx.x * LADO + x;
    const size_t larguraB = 2 * (size_t)n;

    float soma = 0.0f;
    const int blocos = (p + LADO - 1) / LADO;
    for (int b = 0; b < blocos; ++b) {
        const int ka = b * LADO + x;
        const int kb = b * LADO + y;
        depositar(linhas[y][x], i < m && ka < p, [&] {
            const float* a = A + 2 * (size_t)i * p + ka;
            return a[0] + a[p];
        });
        depositar(colunas[y][x], kb < p && j < n, [&] {
            const float* c = B + kb * larguraB + 2 * j;
            return c[0] + c[1];
        });
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < LADO; ++k) soma += linhas[y][k] * colunas[k][x];
        __syncthreads();
    }
    if (i < m && j < n) C[(size_t)i * n + j] = soma;
}

// A, B e C são ponteiros de dispositivo
cudaError_t calcular(const float* A, const float* B, float* C, int m, int n, int p, cudaStream_t fluxo)
{
    const dim3 bloco(LADO, LADO);
    const dim3 grade((n + LADO - 1) / LADO, (m + LADO - 1) / LADO);
    produtoReduzido<<<grade, bloco, 0, fluxo>>>(A, B, C, m, n, p);
    return cudaGetLastError();
}
