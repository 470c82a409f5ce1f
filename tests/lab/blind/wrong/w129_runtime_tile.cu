// Tile width chosen by the caller, shared memory handed over at the launch.
#include <cuda_runtime.h>
#include <cstddef>

__global__ void mm_runtime_tile(const float* a, const float* b, float* c,
                                int m, int n, int k)
{
    extern __shared__ float shared[];
    const int w = blockDim.x;
    float* left  = shared;
    float* right = shared + w;

    const int row  = blockIdx.y * w + threadIdx.y;
    const int col  = blockIdx.x * w + threadIdx.x;
    const int here = threadIdx.y * w + threadIdx.x;

    float total = 0.0f;
    for (int k0 = 0; k0 < k; k0 += w) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;
        left[here]  = row < m && ka < k ? a[(size_t)row * k + ka] : 0.0f;
        right[here] = kb < k && col < n ? b[(size_t)kb * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < w; ++i)
            total += left[threadIdx.y * w + i] * right[i * w + threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = total;
}

cudaError_t launch_mm(const float* a, const float* b, float* c, int m, int n, int k,
                      int width)
{
    if (width < 1 || width > 32)
        return cudaErrorInvalidValue;
    const dim3 threads(width, width);
    const dim3 blocks((n + width - 1) / width, (m + width - 1) / width);
    const size_t bytes = 2 * sizeof(float) * width * width;
    mm_runtime_tile<<<blocks, threads, bytes>>>(a, b, c, m, n, k);
    return cudaGetLastError();
}
