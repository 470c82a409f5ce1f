// Multiplicação reduzida: A e B são n x n (n par), C é (n/2) x (n/2), por linhas.
// C[i][j] é a soma do quadrado 2x2 (2i, 2j) de A*B. Em vez de calcular A*B inteiro,
// somamos duas linhas de A e duas colunas de B ao carregar os blocos.
//
// Exemplo de chamada:
//   int h = n / 2;
//   dim3 t(B_LADO, B_LADO), g((h + B_LADO - 1) / B_LADO, (h + B_LADO - 1) / B_LADO);
//   reduzida<<<g, t>>>(A, B, C, n);
#include <cuda_runtime.h>

constexpr int B_LADO = 16;

__global__ void reduzida(const float *A, const float *B, float *C, int n)
{
    __shared__ float blocoA[B_LADO][B_LADO];
    __shared__ float blocoB[B_LADO][B_LADO];

    const int metade = n / 2;
    const int lin = blockIdx.y * B_LADO + threadIdx.y;
    const int col = blockIdx.x * B_LADO + threadIdx.x;

    float soma = 0.0f;
    for (int k0 = 0; k0 < n; k0 += B_LADO) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;

        if (lin < metade && ka < n) {
            const float *linhaPar = A + (size_t)(2 * lin) * n;
            const float *linhaImpar = linhaPar + n;
            blocoA[threadIdx.y][threadIdx.x] = linhaPar[ka] + linhaImpar[ka];
        } else {
            blocoA[threadIdx.y][threadIdx.x] = 0.0f;
        }

        if (col < metade && kb < n) {
            const float *linhaB = B + (size_t)kb * metade;
            blocoB[threadIdx.y][threadIdx.x] = linhaB[2 * col] + linhaB[2 * col + 1];
        } else {
            blocoB[threadIdx.y][threadIdx.x] = 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < B_LADO; ++k)
            soma += blocoA[threadIdx.y][k] * blocoB[k][threadIdx.x];
        __syncthreads();
    }

    if (lin < metade && col < metade)
        C[(size_t)lin * metade + col] = soma;
}
