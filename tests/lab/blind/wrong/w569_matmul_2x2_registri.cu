// Prodotto di matrici C = A*B, ogni thread calcola 2x2 elementi di C.
// A: M x K, B: K x N, dimensioni qualsiasi.
// blocco (16,16), griglia ((N+31)/32, (M+31)/32)
#include <cuda_runtime.h>

#define NT 16
#define LATO (2 * NT)

__global__ void matmul_2x2(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[LATO][NT];
    __shared__ float sB[NT][LATO];

    int tx = threadIdx.x, ty = threadIdx.y;
    int r0 = blockIdx.y * LATO, c0 = blockIdx.x * LATO;
    float c[2][2] = {{0, 0}, {0, 0}};

    for (int k0 = 0; k0 < K; k0 += NT) {
        for (int h = 0; h < 2; h++) {
            int r = r0 + ty + h * NT;
            int q = c0 + tx + h * NT;
            sA[ty + h * NT][tx] = (r < M && k0 + tx < K) ? A[(size_t)r * K + k0 + tx] : 0.f;
            sB[ty][tx + h * NT] = (q < N && k0 + ty < K) ? B[(size_t)(k0 + ty) * N + q] : 0.f;
        }
        __syncthreads();

        for (int k = 0; k < NT; k++) {
            float a0 = sA[2 * ty][k], a1 = sA[2 * ty + 1][k];
            float b0 = sB[k][tx], b1 = sB[k][tx + NT];
            c[0][0] += a0 * b0;
            c[0][1] += a0 * b1;
            c[1][0] += a1 * b0;
            c[1][1] += a1 * b1;
        }
        __syncthreads();
    }

    // scrittura dei quattro risultati
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int riga = r0 + ty + i * NT;
            int colonna = c0 + tx + j * NT;
            if (riga < M && colonna < N)
                C[(size_t)riga * N + colonna] = c[i][j];
        }
}
