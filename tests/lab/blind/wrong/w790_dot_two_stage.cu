// dot product, two kernels: one partial sum per block, then one block adds them up
#include <cuda_runtime.h>
#include <algorithm>

namespace {

constexpr int THREADS    = 256;
constexpr int MAX_BLOCKS = 1024;

__device__ double blockSum(double v)
{
    __shared__ double buf[THREADS];
    const int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (int half = THREADS / 2; half >= 1; half >>= 1) {
        if (t < half)
            buf[t] += buf[t + half];
        __syncthreads();
    }
    return buf[0];
}

__global__ void partialDots(const double* x, const double* y, double* partial, size_t n)
{
    double v = 0.0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS)
        v += x[i] * y[i];
    const double s = blockSum(v);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = s;
}

__global__ void finalSum(const double* partial, int count, double* result)
{
    const int t = threadIdx.x;
    double v = 0.0;
    if (t < count) v += partial[t];
    const double s = blockSum(v);
    if (t == 0)
        *result = s;
}

}  // namespace

// x, y: n >= 1 doubles on the device
double dot(const double* x, const double* y, size_t n)
{
    const int blocks = (int)std::min<size_t>((n + THREADS - 1) / THREADS, MAX_BLOCKS);
    double *partial = nullptr, *result = nullptr, host = 0.0;
    cudaMalloc(&partial, blocks * sizeof(double));
    cudaMalloc(&result, sizeof(double));
    partialDots<<<blocks, THREADS>>>(x, y, partial, n);
    finalSum<<<1, THREADS>>>(partial, blocks, result);
    cudaMemcpy(&host, result, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(partial);
    cudaFree(result);
    return host;
}
