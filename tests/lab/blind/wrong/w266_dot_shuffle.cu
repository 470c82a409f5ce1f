// Dot product with warp shuffles; 256 threads make 8 warps per block.
#include <cuda_runtime.h>
#include <vector>

namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAll = 0xffffffffu;

__global__ void dot_kernel(const double* __restrict__ x, const double* __restrict__ y,
                           double* __restrict__ sums, size_t n)
{
    __shared__ double from_warp[kWarps];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    double v = 0.0;
    for (size_t i = size_t(blockIdx.x) * kThreads + threadIdx.x; i < n; i += size_t(gridDim.x) * kThreads)
        v += x[i] * y[i];

    for (int off = 16; off > 0; off /= 2) v += __shfl_down_sync(kAll, v, off);
    if (lane == 0) from_warp[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = (lane < kWarps) ? from_warp[lane] : 0.0;
        for (int off = kWarps / 4; off > 0; off /= 2) v += __shfl_down_sync(kAll, v, off);
        if (lane == 0) sums[blockIdx.x] = v;
    }
}

}  // namespace

double dot(const std::vector<double>& x, const std::vector<double>& y)
{
    const size_t n = x.size() < y.size() ? x.size() : y.size();
    const size_t bytes = n * sizeof(double);
    const int blocks = 64;

    double *dx, *dy, *ds;
    cudaMalloc(&dx, bytes);
    cudaMalloc(&dy, bytes);
    cudaMalloc(&ds, blocks * sizeof(double));
    cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice);

    dot_kernel<<<blocks, kThreads>>>(dx, dy, ds, n);

    std::vector<double> sums(blocks);
    cudaMemcpy(sums.data(), ds, blocks * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(ds);

    double total = 0.0;
    for (double s : sums) total += s;
    return total;
}
