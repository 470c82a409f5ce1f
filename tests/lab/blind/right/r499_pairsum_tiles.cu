// Reduced product with the pair sums folded into the tile loads.
//   out[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A is rowsA x inner, B is inner x colsB, out is (rowsA/2) x (colsB/2); row-major.
// rowsA and colsB must be even (rowsA up to a million); inner is arbitrary.
// Launch: block (TILE_X, TILE_Y), grid (ceil(colsB/2 / TILE_X), ceil(rowsA/2 / TILE_Y)).
#include <cuda_runtime.h>

#define TILE_X 32
#define TILE_Y 8
#define DEPTH 16

extern "C" __global__ void pair_matmul(const float *__restrict__ A,
                                       const float *__restrict__ B,
                                       float *__restrict__ out,
                                       int rowsA, int inner, int colsB)
{
    __shared__ float left[TILE_Y][DEPTH];
    __shared__ float right[DEPTH][TILE_X];

    const int outRows = rowsA >> 1;
    const int outCols = colsB >> 1;
    const int tid = threadIdx.y * TILE_X + threadIdx.x;
    const int rowBase = blockIdx.y * TILE_Y;
    const int colBase = blockIdx.x * TILE_X;

    float acc = 0.f;

    for (int base = 0; base < inner; base += DEPTH) {
        // left tile: TILE_Y * DEPTH values, fewer than there are threads
        for (int e = tid; e < TILE_Y * DEPTH; e += TILE_X * TILE_Y) {
            int r = e / DEPTH, d = e % DEPTH;
            int gi = rowBase + r, gk = base + d;
            float v = 0.f;
            if (gi < outRows && gk < inner) {
                size_t p = (size_t)(2 * gi) * inner + gk;
                v = A[p] + A[p + inner];
            }
            left[r][d] = v;
        }
        for (int e = tid; e < DEPTH * TILE_X; e += TILE_X * TILE_Y) {
            int d = e / TILE_X, c = e % TILE_X;
            int gk = base + d, gj = colBase + c;
            float v = 0.f;
            if (gk < inner && gj < outCols) {
                size_t p = (size_t)gk * colsB + 2 * gj;
                v = B[p] + B[p + 1];
            }
            right[d][c] = v;
        }
        __syncthreads();

        for (int d = 0; d < DEPTH; ++d)
            acc = fmaf(left[threadIdx.y][d], right[d][threadIdx.x], acc);

        __syncthreads();
    }

    const int i = rowBase + threadIdx.y;
    const int j = colBase + threadIdx.x;
    if (i < outRows && j < outCols)
        out[(size_t)i * outCols + j] = acc;
}
