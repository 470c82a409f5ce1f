// Product P = X * Y, row-major, X: rows x inner, Y: inner x cols.
// A block of 32 x 8 threads makes a 32 x 32 tile of P: every thread owns
// four rows of one column, 8 apart.
#include <cuda_runtime.h>

#define EDGE 32
#define BROWS 8
#define PER (EDGE / BROWS)

__global__ void mul_strips(const float *X, const float *Y, float *P,
                           int rows, int inner, int cols)
{
    __shared__ float sx[EDGE][EDGE];
    __shared__ float sy[EDGE][EDGE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int c = blockIdx.x * EDGE + tx;
    const int r0 = blockIdx.y * EDGE + ty;

    float acc[PER];
    for (int p = 0; p < PER; ++p) acc[p] = 0.0f;

    for (int base = 0; base < inner; base += EDGE) {
        for (int p = 0; p < PER; ++p) {
            int lr = ty + p * BROWS;
            int gr = r0 + p * BROWS;
            sx[lr][tx] = (gr < rows && base + tx < inner)
                         ? X[(size_t)gr * inner + base + tx] : 0.0f;
            sy[lr][tx] = (base + lr < inner && c < cols)
                         ? Y[(size_t)(base + lr) * cols + c] : 0.0f;
        }
        __syncthreads();

        for (int q = 0; q < EDGE; ++q) {
            float y = sy[q][tx];
            for (int p = 0; p < PER; ++p)
                acc[p] += sx[ty + p * BROWS][q] * y;
        }
        __syncthreads();
    }

    if (c >= cols) return;
    for (int p = 0; p < PER; ++p) {
        int gr = r0 + p * BROWS;
        if (gr < rows) P[(size_t)gr * cols + c] = acc[p];
    }
}

void launch_mul_strips(const float *X, const float *Y, float *P, int rows, int inner, int cols)
{
    dim3 block(EDGE, BROWS);
    dim3 grid((cols + EDGE - 1) / EDGE, (rows + EDGE - 1) / EDGE);
    mul_strips<<<grid, block>>>(X, Y, P, rows, inner, cols);
}
