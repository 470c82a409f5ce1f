// y = A * x,  A: rows x cols (row-major), one warp per row, float4 loads.
//
// Requires cols % 4 == 0 and A, x aligned to 16 bytes (cudaMalloc does that).
//
// Launch:
//     dim3 block(32, 8);
//     gemv_warp_per_row<<<(rows + 7) / 8, block>>>(A, x, y, rows, cols);

#include <cuda_runtime.h>

constexpr int ROWS_PER_BLOCK = 8;

__device__ inline float dot4(const float4 &a, const float4 &b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__global__ void gemv_warp_per_row(const float *__restrict__ A,
                                  const float *__restrict__ x,
                                  float *__restrict__ y,
                                  int rows, int cols)
{
    const int lane = threadIdx.x;
    const int row  = blockIdx.x * ROWS_PER_BLOCK + threadIdx.y;
    if (row >= rows)
        return;                       // the whole warp leaves, no barrier below

    const float4 *a4 = reinterpret_cast<const float4 *>(A + (size_t)row * cols);
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    const int quads = cols / 4;

    float acc = 0.0f;
    for (int q = lane; q < quads; q += 32)
        acc += dot4(a4[q], x4[q]);

    for (int off = 16; off; off >>= 1)
        acc += __shfl_down_sync(0xffffffffu, acc, off);

    if (lane == 0)
        y[row] = acc;
}
