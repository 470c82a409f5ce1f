// FIR filter, "same" size, zero padding: y[i] = sum_{t=-r..r} w[t + r] * x[i + t]
// Dynamic shared memory holds the block's samples with r neighbours on both sides,
// followed by the 2r + 1 taps.
#include <cuda_runtime.h>

__global__ void fir(const float* __restrict__ x, const float* __restrict__ w,
                    float* __restrict__ y, int n, int r)
{
    extern __shared__ float smem[];
    float* s = smem;                              // blockDim.x + 2r samples
    float* taps = smem + blockDim.x + 2 * r;      // 2r + 1 taps

    const int base = blockIdx.x * blockDim.x;

    for (int i = threadIdx.x; i < (int)blockDim.x + 2 * r; i += blockDim.x) {
        const int g = base + i - r;
        s[i] = (g >= 0 && g < n) ? x[g] : 0.f;
    }
    for (int i = threadIdx.x; i < 2 * r + 1; i += blockDim.x)
        taps[i] = w[i];
    __syncthreads();

    const int i = base + threadIdx.x;
    if (i < n) {
        float acc = 0.f;
        for (int t = 0; t <= 2 * r; ++t)
            acc += taps[t] * s[threadIdx.x + t];
        y[i] = acc;
    }
}

void fir_filter(const float* x, const float* w, float* y, int n, int r, cudaStream_t stream)
{
    const int threads = 256;
    const int blocks = (n + threads - 1) / threads;
    const size_t bytes = (threads + 2 * r) * sizeof(float);
    fir<<<blocks, threads, bytes, stream>>>(x, w, y, n, r);
}
