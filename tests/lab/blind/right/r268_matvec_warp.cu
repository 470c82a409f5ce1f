// y = alpha * A * x + beta * y  with a half precision matrix, one warp per row.
//
// y must be filled in beforehand, even for beta = 0.
// A: rows x cols, row major. Use 1-D blocks whose size is a multiple of 32:
//     int threads = 128;                       // 4 rows per block
//     int blocks  = (rows + 3) / 4;
//     hgemv<<<blocks, threads>>>(rows, cols, alpha, A, x, beta, y);
#include <cuda_fp16.h>

__global__ void hgemv(int rows, int cols, float alpha, const __half* __restrict__ A,
                      const float* __restrict__ x, float beta, float* __restrict__ y)
{
    const int warps_per_block = blockDim.x / warpSize;
    const int row = blockIdx.x * warps_per_block + threadIdx.x / warpSize;
    const int lane = threadIdx.x % warpSize;

    if (row >= rows)      // the same for the whole warp
        return;

    const __half* a = A + static_cast<size_t>(row) * cols;
    float sum = 0.f;
    for (int c = lane; c < cols; c += warpSize)
        sum += __half2float(a[c]) * x[c];

    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);

    if (lane == 0)
        y[row] = alpha * sum + beta * y[row];
}
