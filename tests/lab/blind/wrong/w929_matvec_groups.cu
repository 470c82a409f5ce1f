#include <cuda_fp16.h>

// y = A * x with a half matrix (row-major, rows x cols) and float vectors.
// A group of G neighbouring lanes shares a row; 128 / G rows per block.

#define G 8
#define NTHREADS 128

__global__ void matvec_groups(const half *A, const float *x, float *y, int rows, int cols)
{
    int member = threadIdx.x % G;
    int row = blockIdx.x * (NTHREADS / G) + threadIdx.x / G;

    float s = 0.0f;
    if (row < rows) {
        const half *a = A + (size_t)row * cols;
        for (int c = member; c < cols; c += G)
            s += __half2float(a[c]) * x[c];
    }

    for (int d = G; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffff, s, d);

    if (member == 0 && row < rows)
        y[row] = s;
}

void matvec(const half *A, const float *x, float *y, int rows, int cols)
{
    const int per_block = NTHREADS / G;
    matvec_groups<<<(rows + per_block - 1) / per_block, NTHREADS>>>(A, x, y, rows, cols);
}
