// y = A x, row-major A (rows x cols). G lanes of a warp share one row (G = 4, 8, 16 or 32).
#include <cuda_runtime.h>

template <int G>
__global__ void gemv_groups(const float* __restrict__ A, const float* __restrict__ x,
                            float* __restrict__ y, int rows, int cols)
{
    static_assert(G >= 2 && G <= 32 && (G & (G - 1)) == 0, "group size");
    const int gid = (blockIdx.x * blockDim.x + threadIdx.x) / G;
    const int lane = threadIdx.x % G;

    float acc = 0.f;
    if (gid < rows) {
        const float* a = A + (size_t)gid * cols;
        for (int c = lane; c < cols; c += G)
            acc += a[c] * x[c];
    }
    // whole warps arrive here, idle groups add zeros
    #pragma unroll
    for (int h = G / 2; h > 0; h /= 2)
        acc += __shfl_down_sync(0xffffffffu, acc, h, G);
    if (lane == 0 && gid < rows)
        y[gid] = acc;
}

void gemv(const float* A, const float* x, float* y, int rows, int cols)
{
    const int threads = 128;
    if (cols >= 64) {
        gemv_groups<32><<<(rows + 3) / 4, threads>>>(A, x, y, rows, cols);
    } else {
        gemv_groups<8><<<(rows + 15) / 16, threads>>>(A, x, y, rows, cols);
    }
}
