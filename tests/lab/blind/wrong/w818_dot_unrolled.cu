#include <cuda_runtime.h>

// Dot product of two double vectors, n >= 1.
// Shared-memory tree, last warp unrolled by hand.

template <unsigned BS>
__device__ void lastWarp(double *s, unsigned t)
{
    double v = s[t];
    if (BS >= 64) {
        v += s[t + 32];
        __syncwarp();
        s[t] = v;
        __syncwarp();
    }
    v += s[t + 16]; __syncwarp();
    s[t] = v;       __syncwarp();
    v += s[t + 8];  __syncwarp();
    s[t] = v;       __syncwarp();
    v += s[t + 4];  __syncwarp();
    s[t] = v;
    v += s[t + 2];  __syncwarp();
    s[t] = v;       __syncwarp();
    v += s[t + 1];  __syncwarp();
    s[t] = v;
}

template <unsigned BS>
__global__ void dotKernel(const double *x, const double *y, size_t n, double *out)
{
    static_assert(BS >= 64 && (BS & (BS - 1)) == 0, "block size");
    __shared__ double s[BS];
    const unsigned t = threadIdx.x;
    const size_t stride = (size_t)BS * gridDim.x;

    double sum = 0.0;
    for (size_t i = (size_t)blockIdx.x * BS + t; i < n; i += stride)
        sum = fma(x[i], y[i], sum);
    s[t] = sum;
    __syncthreads();

    if (BS >= 512) { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
    if (BS >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
    if (BS >= 128) { if (t <  64) s[t] += s[t +  64]; __syncthreads(); }
    if (t < 32)
        lastWarp<BS>(s, t);
    if (t == 0)
        atomicAdd(out, s[0]);
}

void dot(const double *x, const double *y, size_t n, double *out, cudaStream_t stream)
{
    constexpr unsigned BS = 512;
    size_t blocks = (n + BS - 1) / BS;
    if (blocks > 216)
        blocks = 216;
    cudaMemsetAsync(out, 0, sizeof(double), stream);
    dotKernel<BS><<<(unsigned)blocks, BS, 0, stream>>>(x, y, n, out);
}
