#include <cuda_runtime.h>

// y = A x, one warp per row (threadIdx.y picks the row of the block)
#define ROWS_PER_BLOCK 4

__global__ void gemv_warp(const float *__restrict__ A, const float *__restrict__ x,
                          float *__restrict__ y, int rows, int cols)
{
    int row = blockIdx.x * ROWS_PER_BLOCK + threadIdx.y;
    if (row >= rows) return;            // leaves as a whole warp

    const float *a = A + (size_t)row * cols;
    float p = 0.f, q = 0.f;
    int j = threadIdx.x;
    for (; j + 32 < cols; j += 64) {
        p += a[j] * __ldg(x + j);
        q += a[j + 32] * __ldg(x + j + 32);
    }
    if (j < cols) p += a[j] * __ldg(x + j);
    p += q;

    for (int m = 16; m >= 1; m >>= 1)
        p += __shfl_xor_sync(0xFFFFFFFF, p, m);

    if (threadIdx.x == 0) y[row] = p;
}

void gemv(const float *A, const float *x, float *y, int rows, int cols, cudaStream_t stream)
{
    dim3 b(32, ROWS_PER_BLOCK);
    int g = (rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK;
    gemv_warp<<<g, b, 0, stream>>>(A, x, y, rows, cols);
}
