// Persistent-block matrix product: a fixed 1-D grid walks over the output tiles of C.
//   C (M x N) = A (M x K) * B (K x N), row-major, sizes from 1 to 30000.
// Block: 256 threads (1-D).  Grid: any number of blocks >= 1; usually one or two per SM.
// A block makes 64 x 64 tiles; a thread makes rows ty, ty+16, ty+32, ty+48 by the
// columns tx, tx+16, tx+32, tx+48 of a tile.
#include <cuda_runtime.h>

#define TS 64
#define DK 8
#define R 4

__global__ void __launch_bounds__(256)
persistent_mm(const float *__restrict__ A, const float *__restrict__ B,
              float *__restrict__ C, int M, int N, int K)
{
    __shared__ float sA[TS][DK + 1];
    __shared__ float sB[DK][TS];

    const int tid = threadIdx.x;
    const int tx = tid % 16;
    const int ty = tid / 16;

    const int tilesN = (N + TS - 1) / TS;
    const int tilesM = (M + TS - 1) / TS;

    float c[R][R] = {{0.f}};

    for (int tile = blockIdx.x; tile < tilesM * tilesN; tile += gridDim.x) {
        const int row0 = (tile / tilesN) * TS;
        const int col0 = (tile % tilesN) * TS;

        for (int k0 = 0; k0 < K; k0 += DK) {
            for (int e = tid; e < TS * DK; e += 256) {
                int r = e / DK, k = e % DK;
                sA[r][k] = (row0 + r < M && k0 + k < K) ? A[(row0 + r) * K + k0 + k] : 0.f;
            }
            for (int e = tid; e < DK * TS; e += 256) {
                int k = e / TS, q = e % TS;
                sB[k][q] = (k0 + k < K && col0 + q < N) ? B[(k0 + k) * N + col0 + q] : 0.f;
            }
            __syncthreads();

            for (int k = 0; k < DK; ++k)
#pragma unroll
                for (int i = 0; i < R; ++i)
#pragma unroll
                    for (int j = 0; j < R; ++j)
                        c[i][j] += sA[ty + 16 * i][k] * sB[k][tx + 16 * j];
            __syncthreads();
        }

#pragma unroll
        for (int i = 0; i < R; ++i)
#pragma unroll
            for (int j = 0; j < R; ++j) {
                int row = row0 + ty + 16 * i;
                int col = col0 + tx + 16 * j;
                if (row < M && col < N)
                    C[row * N + col] = c[i][j];
            }
    }
}
