#include <cuda_runtime.h>

// y = alpha*A*x + beta*y, A row-major m x n with leading dimension lda.
// A fixed number of blocks walks over the rows; one block per row at a time.
template <int NT>
__global__ __launch_bounds__(NT) void gemv_rows(int m, int n, float alpha, const float* __restrict__ A,
                                                int lda, const float* __restrict__ x, float beta,
                                                float* y)
{
    static_assert(NT % 32 == 0 && NT <= 1024, "whole warps");
    __shared__ float ws[NT / 32];

    for (int r = blockIdx.x; r < m; r += gridDim.x) {
        const float* a = A + (size_t)r * lda;
        float t = 0.f;
        for (int c = threadIdx.x; c < n; c += NT) t += a[c] * x[c];

#pragma unroll
        for (int o = 16; o; o >>= 1) t += __shfl_xor_sync(0xffffffff, t, o);
        if (threadIdx.x % 32 == 0) ws[threadIdx.x / 32] = t;
        __syncthreads();

        if (threadIdx.x == 0) {
            float dot = 0.f;
#pragma unroll
            for (int w = 0; w < NT / 32; ++w) dot += ws[w];
            y[r] = beta != 0.f ? alpha * dot + beta * y[r] : alpha * dot;
        }
        __syncthreads();   // ws is overwritten by the next row
    }
}

void gemv_n(int m, int n, float alpha, const float* A, int lda, const float* x, float beta, float* y,
            int sms, cudaStream_t st)
{
    const int blocks = m < 4 * sms ? m : 4 * sms;
    if (blocks <= 0) return;
    if (n > 512)
        gemv_rows<256><<<blocks, 256, 0, st>>>(m, n, alpha, A, lda, x, beta, y);
    else
        gemv_rows<64><<<blocks, 64, 0, st>>>(m, n, alpha, A, lda, x, beta, y);
}
