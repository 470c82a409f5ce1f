// Inner product of two device vectors of any length, with a reusable plan object
// that owns the workspace.  Works for float and double.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstddef>

namespace training {

constexpr int kThreads   = 256;
constexpr int kMaxBlocks = 1024;

template <typename T>
__device__ T fold(T v)
{
    __shared__ T lane0[kThreads / 32];
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0)
        lane0[threadIdx.x >> 5] = v;
    __syncthreads();
    T total = T(0);
    if (threadIdx.x == 0)
        for (int w = 0; w < kThreads / 32; ++w)
            total += lane0[w];
    return total;       // thread 0 holds the sum
}

template <typename T>
__global__ void partialDot(const T* x, const T* y, std::size_t n, T* part)
{
    T acc = T(0);
    for (std::size_t i = blockIdx.x * (std::size_t)kThreads + threadIdx.x; i < n;
         i += (std::size_t)kThreads * gridDim.x)
        acc += x[i] * y[i];
    acc = fold(acc);
    if (threadIdx.x == 0)
        part[blockIdx.x] = acc;
}

template <typename T>
__global__ void finalSum(const T* part, int count, T* result)
{
    T acc = T(0);
    if (threadIdx.x < count)
        acc = part[threadIdx.x];
    acc = fold(acc);
    if (threadIdx.x == 0)
        *result = acc;
}

template <typename T>
class DotPlan {
public:
    DotPlan() { state_ = cudaMalloc(&work_, (kMaxBlocks + 1) * sizeof(T)); }
    ~DotPlan() { cudaFree(work_); }
    DotPlan(const DotPlan&) = delete;
    DotPlan& operator=(const DotPlan&) = delete;

    cudaError_t operator()(const T* x, const T* y, std::size_t n, T* hostResult)
    {
        if (state_ != cudaSuccess) return state_;
        *hostResult = T(0);
        if (n == 0) return cudaSuccess;
        const std::size_t want = (n + kThreads - 1) / kThreads;
        const int blocks = (int)std::min<std::size_t>(want, kMaxBlocks);
        partialDot<T><<<blocks, kThreads>>>(x, y, n, work_);
        finalSum<T><<<1, kThreads>>>(work_, blocks, work_ + kMaxBlocks);
        cudaError_t e = cudaGetLastError();
        if (e != cudaSuccess) return e;
        return cudaMemcpy(hostResult, work_ + kMaxBlocks, sizeof(T), cudaMemcpyDeviceToHost);
    }

private:
    T* work_ = nullptr;
    cudaError_t state_;
};

template class DotPlan<float>;
template class DotPlan<double>;

} // namespace training
