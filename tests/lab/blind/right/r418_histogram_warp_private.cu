// Histogram of 8-bit samples with one private copy of the bins per warp.
// Samples >= bins are ignored. hist (64-bit counters) is accumulated into, so the
// caller clears it when starting a new histogram.
#include <cuda_runtime.h>

__global__ void hist_u8(const unsigned char* __restrict__ data, size_t n,
                        unsigned long long* hist, int bins)
{
    extern __shared__ unsigned int copies[];      // (blockDim.x / 32) * bins counters
    const int nwarps = blockDim.x / 32;
    unsigned int* mine = copies + (threadIdx.x / 32) * bins;

    for (int i = threadIdx.x; i < nwarps * bins; i += blockDim.x)
        copies[i] = 0;
    __syncthreads();

    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const int v = data[i];
        if (v < bins) atomicAdd(&mine[v], 1u);
    }
    __syncthreads();

    for (int b = threadIdx.x; b < bins; b += blockDim.x) {
        unsigned long long total = 0;
        for (int w = 0; w < nwarps; ++w)
            total += copies[w * bins + b];
        if (total) atomicAdd(&hist[b], total);
    }
}

// 1 <= bins <= 256
cudaError_t histogram_u8(const unsigned char* d_data, size_t n,
                         unsigned long long* d_hist, int bins, cudaStream_t s)
{
    const int threads = 256;
    const size_t smem = (threads / 32) * (size_t)bins * sizeof(unsigned int);
    size_t blocks = (n + threads - 1) / threads;
    if (blocks > 640) blocks = 640;
    cudaError_t e = cudaMemsetAsync(d_hist, 0, bins * sizeof(unsigned long long), s);
    if (e != cudaSuccess || n == 0) return e;
    hist_u8<<<(unsigned)blocks, threads, smem, s>>>(d_data, n, d_hist, bins);
    return cudaGetLastError();
}
