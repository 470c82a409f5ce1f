#include <cuda_runtime.h>

// Assignment 5, variant B.
//
// Out[i][j] = P[2i][2j] + P[2i][2j+1] + P[2i+1][2j] + P[2i+1][2j+1]   with P = A*B
//
// P is never stored. Each thread works out its own 2x2 block of P in four
// registers and adds them up at the end.
//
//   A: m x k, B: k x n, Out: (m/2) x (n/2); m and n even, k free.
//
//   blockDim = (8, 8), gridDim = (ceil(n/2 / 8), ceil(m/2 / 8))

#define OUT_TILE 8
#define P_TILE   (2 * OUT_TILE)
#define K_TILE   16

__global__ void sum2x2_of_product(const float *A, const float *B, float *Out,
                                  int m, int n, int k)
{
    __shared__ float As[P_TILE][K_TILE];
    __shared__ float Bs[K_TILE][P_TILE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * OUT_TILE + tx;
    const int rowBase = blockIdx.y * P_TILE;     // in P
    const int colBase = blockIdx.x * P_TILE;

    float p00 = 0, p01 = 0, p10 = 0, p11 = 0;

    for (int kb = 0; kb < k; kb += K_TILE) {
        // 64 threads fill 256 + 256 elements
        for (int e = tid; e < P_TILE * K_TILE; e += OUT_TILE * OUT_TILE) {
            int r = e / K_TILE, c = e % K_TILE;
            float v = 0;
            if (rowBase + r < m && kb + c < k)
                v = A[(rowBase + r) * k + kb + c];
            As[r][c] = v;
        }
        for (int e = tid; e < K_TILE * P_TILE; e += OUT_TILE * OUT_TILE) {
            int r = e / P_TILE, c = e % P_TILE;
            float v = 0;
            if (kb + r < k && colBase + c < n)
                v = B[(kb + r) * n + colBase + c];
            Bs[r][c] = v;
        }
        __syncthreads();

        for (int q = 0; q < K_TILE; q++) {
            float a0 = As[2 * ty][q];
            float a1 = As[2 * ty + 1][q];
            float b0 = Bs[q][2 * tx];
            float b1 = Bs[q][2 * tx + 1];
            p00 += a0 * b0;
            p01 += a0 * b1;
            p10 += a1 * b0;
            p11 += a1 * b1;
        }
        __syncthreads();
    }

    int i = blockIdx.y * OUT_TILE + ty;
    int j = blockIdx.x * OUT_TILE + tx;
    if (i < m / 2 && j < n / 2)
        Out[i * (n / 2) + j] = (p00 + p01) + (p10 + p11);
}
