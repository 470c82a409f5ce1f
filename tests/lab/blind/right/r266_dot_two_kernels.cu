// <x, y> in double: one kernel makes a partial sum for each block, a second
// kernel with a single block adds them. No atomics, so the answer repeats.
#include <cuda_runtime.h>

#define FULL 0xffffffffu

__device__ double warp_sum(double v)
{
    for (int d = 16; d >= 1; d >>= 1)
        v += __shfl_down_sync(FULL, v, d);
    return v;
}

// blockDim.x is a multiple of 32; the sum is valid in thread 0
__device__ double block_sum(double v)
{
    __shared__ double per_warp[32];
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;

    v = warp_sum(v);
    if (lane == 0) per_warp[warp] = v;
    __syncthreads();

    if (warp == 0) {
        int warps = blockDim.x >> 5;
        v = lane < warps ? per_warp[lane] : 0.0;
        v = warp_sum(v);
    }
    return v;
}

__global__ void dot_partial(const double *x, const double *y, double *part, long n)
{
    double v = 0.0;
    long stride = (long)blockDim.x * gridDim.x;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        v = fma(x[i], y[i], v);
    v = block_sum(v);
    if (threadIdx.x == 0) part[blockIdx.x] = v;
}

__global__ void sum_partial(const double *part, int count, double *out)
{
    double v = 0.0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) v += part[i];
    v = block_sum(v);
    if (threadIdx.x == 0) *out = v;
}

// x and y on the host
double dot(const double *x, const double *y, long n)
{
    if (n <= 0) return 0.0;

    const int threads = 320;
    long want = (n + threads - 1) / threads;
    int blocks = want < 1024 ? (int)want : 1024;
    double *dx, *dy, *part, *out, answer;

    cudaMalloc(&dx, n * sizeof *dx);
    cudaMalloc(&dy, n * sizeof *dy);
    cudaMalloc(&part, blocks * sizeof *part);
    cudaMalloc(&out, sizeof *out);
    cudaMemcpy(dx, x, n * sizeof *dx, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, n * sizeof *dy, cudaMemcpyHostToDevice);

    dot_partial<<<blocks, threads>>>(dx, dy, part, n);
    sum_partial<<<1, 256>>>(part, blocks, out);

    cudaMemcpy(&answer, out, sizeof answer, cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(part);
    cudaFree(out);
    return answer;
}
