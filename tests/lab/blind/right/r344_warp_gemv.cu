// y = A x, A is rows x cols (row-major, leading dimension lda >= cols).
// One warp walks one row; the block holds WARPS rows.
//
//   gemv_warp<<<(rows + WARPS - 1) / WARPS, dim3(32, WARPS)>>>(A, lda, x, y, rows, cols);

#define WARPS 4

__global__ void gemv_warp(const float *__restrict__ A, int lda,
                          const float *__restrict__ x, float *__restrict__ y,
                          int rows, int cols)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * WARPS + threadIdx.y;
    if (row >= rows)
        return;   // same decision for all 32 lanes of the warp

    const float *a = A + (long)row * lda;
    float part = 0.0f;
    for (int c = lane; c < cols; c += 32)
        part += a[c] * x[c];

    part += __shfl_xor_sync(0xffffffff, part, 16);
    part += __shfl_xor_sync(0xffffffff, part, 8);
    part += __shfl_xor_sync(0xffffffff, part, 4);
    part += __shfl_xor_sync(0xffffffff, part, 2);
    part += __shfl_xor_sync(0xffffffff, part, 1);

    if (lane == 0)
        y[row] = part;
}
