// Trabalho 4 - multiplicacao de matrizes com buffer duplo em memoria compartilhada
// C = A * B, linhas contiguas, A (M x K), B (K x N), C (M x N).
// Restricao: M, N e K multiplos de 32 (verificado com assert).
// Lancamento: dim3 bloco(32, 8); dim3 grade(N / 32, M / 32);
#include <cassert>
#include <cuda_runtime.h>

#define LADO 32
#define LINHAS_BLOCO 8
#define POR_THREAD (LADO / LINHAS_BLOCO)

__global__ void matmulBufferDuplo(const float *A, const float *B, float *C, int M, int N, int K)
{
    assert(M % LADO == 0 && N % LADO == 0 && K % LADO == 0);

    __shared__ float tileA[2][LADO][LADO];
    __shared__ float tileB[2][LADO][LADO];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int lin0 = blockIdx.y * LADO;
    const int col = blockIdx.x * LADO + tx;
    const int numTiles = K / LADO;

    float regA[POR_THREAD], regB[POR_THREAD];
    float soma[POR_THREAD];

    // primeiro tile vai direto para o buffer 0
    for (int i = 0; i < POR_THREAD; i++) {
        int r = ty + i * LINHAS_BLOCO;
        soma[i] = 0.0f;
        tileA[0][r][tx] = A[(lin0 + r) * K + tx];
        tileB[0][r][tx] = B[r * N + col];
    }
    __syncthreads();

    for (int t = 0; t < numTiles; t++) {
        const int atual = t & 1;
        const int outro = atual ^ 1;
        const bool temProximo = (t + 1 < numTiles);

        // busca antecipada do proximo tile em registradores
        if (temProximo) {
            int k0 = (t + 1) * LADO;
            for (int i = 0; i < POR_THREAD; i++) {
                int r = ty + i * LINHAS_BLOCO;
                regA[i] = A[(lin0 + r) * K + k0 + tx];
                regB[i] = B[(k0 + r) * N + col];
            }
        }

        for (int k = 0; k < LADO; k++) {
            float b = tileB[atual][k][tx];
            for (int i = 0; i < POR_THREAD; i++)
                soma[i] += tileA[atual][ty + i * LINHAS_BLOCO][k] * b;
        }

        // o buffer "outro" foi lido na volta anterior, antes da barreira
        if (temProximo) {
            for (int i = 0; i < POR_THREAD; i++) {
                int r = ty + i * LINHAS_BLOCO;
                tileA[outro][r][tx] = regA[i];
                tileB[outro][r][tx] = regB[i];
            }
        }
        __syncthreads();
    }

    for (int i = 0; i < POR_THREAD; i++)
        C[(lin0 + ty + i * LINHAS_BLOCO) * N + col] = soma[i];
}
