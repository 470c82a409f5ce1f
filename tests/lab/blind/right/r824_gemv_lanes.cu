// y = alpha * A * x + beta * y      (A: m x n, row-major, leading dimension lda >= n)
// LANES threads of a warp share one row; short rows get few lanes, long rows many.
// m, n up to 5 million.
#include <cuda_runtime.h>

namespace gemv {

constexpr int kBlock = 256;

template <int LANES>
__global__ void kernel(int m, int n, float alpha, const float *A, int lda,
                       const float *x, float beta, float *y)
{
    static_assert(LANES <= 32 && (LANES & (LANES - 1)) == 0, "power of two");

    const int row  = blockIdx.x * (kBlock / LANES) + threadIdx.x / LANES;
    const int lane = threadIdx.x % LANES;

    float acc = 0.0f;
    if (row < m) {
        const float *a = A + static_cast<size_t>(row) * lda;
        for (int c = lane; c < n; c += LANES)
            acc = fmaf(a[c], x[c], acc);
    }

    // all 32 lanes get here, idle rows carry a zero
    #pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2)
        acc += __shfl_down_sync(0xffffffffu, acc, d, LANES);

    if (lane == 0 && row < m) {
        float r = alpha * acc;
        if (beta != 0.0f)
            r += beta * y[row];
        y[row] = r;
    }
}

template <int LANES>
void start(int m, int n, float alpha, const float *A, int lda,
           const float *x, float beta, float *y)
{
    constexpr int rows = kBlock / LANES;
    kernel<LANES><<<(m + rows - 1) / rows, kBlock>>>(m, n, alpha, A, lda, x, beta, y);
}

// device pointers
cudaError_t run(int m, int n, float alpha, const float *A, int lda,
                const float *x, float beta, float *y)
{
    if (m <= 0) return cudaSuccess;
    if (n <= 4)       start<2>(m, n, alpha, A, lda, x, beta, y);
    else if (n <= 64) start<8>(m, n, alpha, A, lda, x, beta, y);
    else              start<32>(m, n, alpha, A, lda, x, beta, y);
    return cudaGetLastError();
}

}  // namespace gemv
