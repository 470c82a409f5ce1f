#include <cstdint>
#include <cuda_runtime.h>

// y[m][n] = scale[n] * sum_k a[m][k] * w[n][k] + bias[n]
// a: M x K int8, w: N x K int8, both row-major, rows 4-byte aligned, K % 4 == 0.
// M and N are arbitrary.  block = (16,16), grid = (ceil(N/16), ceil(M/16))

#define TW 16

__global__ void qlinear(const int8_t* __restrict__ a, const int8_t* __restrict__ w,
                        const float* __restrict__ scale, const float* __restrict__ bias,
                        float* __restrict__ y, int M, int N, int K)
{
    __shared__ int sa[TW][TW];
    __shared__ int sw[TW][TW + 1];

    const int* a4 = reinterpret_cast<const int*>(a);
    const int* w4 = reinterpret_cast<const int*>(w);
    const int words = K >> 2;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int m  = blockIdx.y * TW + ty;
    const int n  = blockIdx.x * TW + tx;
    const int nl = blockIdx.x * TW + ty;

    int acc = 0;
    for (int base = 0; base < words; base += TW) {
        const int  c  = base + tx;
        const bool in = c < K;
        sa[ty][tx] = (in && m  < M) ? a4[(size_t)m  * words + c] : 0;
        sw[ty][tx] = (in && nl < N) ? w4[(size_t)nl * words + c] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TW; ++k)
            acc = __dp4a(sa[ty][k], sw[tx][k], acc);
        __syncthreads();
    }

    if (m < M && n < N)
        y[(size_t)m * N + n] = fmaf(scale[n], (float)acc, bias[n]);
}
