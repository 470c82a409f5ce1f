#include <cuda_runtime.h>
#include <stdexcept>

namespace la {

constexpr int kThreads = 256;
constexpr int kWarp = 32;

// y[r] = alpha * <A[r,:], x> + beta * y[r]; A is rows x cols, row-major, leading dimension lda.
// One warp works on one row.
__global__ void gemv_kernel(int rows, int cols, float alpha, const float* __restrict__ A, int lda,
                            const float* __restrict__ x, float beta, float* __restrict__ y)
{
    const int lane = threadIdx.x % kWarp;
    const int row = blockIdx.x * (kThreads / kWarp) + threadIdx.x / kWarp;
    if (row >= rows) return;

    const float* a = A + (size_t)row * lda;
    float s = 0.f;
    for (int c = lane; c < cols; c += kWarp)
        s += a[c] * x[c];

    for (int d = kWarp / 2; d; d >>= 1)
        s += __shfl_xor_sync(0xffffffff, s, d);

    if (lane == 0)
        y[row] = beta == 0.f ? alpha * s : alpha * s + beta * y[row];
}

void gemv(int rows, int cols, float alpha, const float* A, int lda,
          const float* x, float beta, float* y, cudaStream_t stream)
{
    if (rows <= 0 || cols <= 0) return;
    const int blocks = (rows + kThreads - 1) / kThreads;
    gemv_kernel<<<blocks, kThreads, 0, stream>>>(rows, cols, alpha, A, lda, x, beta, y);
    if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("gemv launch");
}

}  // namespace la
