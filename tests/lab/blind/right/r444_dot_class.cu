#include <cuda_runtime.h>
#include <stdexcept>
#include <vector>

namespace {

constexpr unsigned kThreads = 256;

// Sum over the block; the result is valid in thread 0 only.
__device__ double blockSum(double v)
{
    __shared__ double warpPart[kThreads / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (unsigned d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (lane == 0) warpPart[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = lane < kThreads / 32 ? warpPart[lane] : 0.0;
        for (unsigned d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    }
    return v;
}

__global__ void dotStage1(const double* x, const double* y, std::size_t n, double* part)
{
    double v = 0.0;
    const std::size_t step = std::size_t(gridDim.x) * kThreads;
    for (std::size_t i = std::size_t(blockIdx.x) * kThreads + threadIdx.x; i < n; i += step)
        v += x[i] * y[i];
    v = blockSum(v);
    if (threadIdx.x == 0) part[blockIdx.x] = v;
}

__global__ void dotStage2(const double* part, unsigned count, double* out)
{
    double v = 0.0;
    for (unsigned i = threadIdx.x; i < count; i += kThreads) v += part[i];
    v = blockSum(v);
    if (threadIdx.x == 0) *out = v;
}

inline void check(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

}  // namespace

class DotProduct {
public:
    explicit DotProduct(std::size_t n) : n_(n)
    {
        std::size_t b = (n + kThreads - 1) / kThreads;
        blocks_ = b < 1 ? 1u : b > 400 ? 400u : unsigned(b);
        check(cudaMalloc(&x_, (n ? n : 1) * sizeof(double)));
        check(cudaMalloc(&y_, (n ? n : 1) * sizeof(double)));
        check(cudaMalloc(&part_, (blocks_ + 1) * sizeof(double)));
    }
    ~DotProduct() { cudaFree(x_); cudaFree(y_); cudaFree(part_); }
    DotProduct(const DotProduct&) = delete;
    DotProduct& operator=(const DotProduct&) = delete;

    // both vectors hold n entries
    double operator()(const std::vector<double>& x, const std::vector<double>& y)
    {
        if (x.size() != n_ || y.size() != n_) throw std::invalid_argument("length");
        check(cudaMemcpy(x_, x.data(), n_ * sizeof(double), cudaMemcpyHostToDevice));
        check(cudaMemcpy(y_, y.data(), n_ * sizeof(double), cudaMemcpyHostToDevice));
        double* out = part_ + blocks_;       // the last slot
        dotStage1<<<blocks_, kThreads>>>(x_, y_, n_, part_);
        dotStage2<<<1, kThreads>>>(part_, blocks_, out);
        check(cudaGetLastError());
        double r;
        check(cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost));
        return r;
    }

private:
    std::size_t n_;
    unsigned blocks_;
    double *x_ = nullptr, *y_ = nullptr, *part_ = nullptr;
};
