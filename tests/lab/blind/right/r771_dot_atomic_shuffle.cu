// Dot product in double precision of float vectors.
// Warps reduce with shuffles, the first warp of the block adds up the warp sums,
// and one atomicAdd per block goes into a single accumulator.
#include <cuda_runtime.h>

static constexpr unsigned FULL = 0xffffffffu;
static constexpr int BLOCK = 192;              // six warps
static constexpr int WARPS = BLOCK / 32;

__device__ __forceinline__ double warpReduce(double v)
{
#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_xor_sync(FULL, v, o);
    return v;
}

__global__ void __launch_bounds__(BLOCK)
dotKernel(const float* __restrict__ x, const float* __restrict__ y, size_t n, double* acc)
{
    __shared__ double warpSums[WARPS];

    double v = 0.0;
    const size_t step = (size_t)gridDim.x * BLOCK;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += step)
        v += (double)x[i] * (double)y[i];

    v = warpReduce(v);
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    if (lane == 0) warpSums[warp] = v;
    __syncthreads();

    if (warp == 0) {
        double t = lane < WARPS ? warpSums[lane] : 0.0;
        t = warpReduce(t);
        if (lane == 0) atomicAdd(acc, t);
    }
}

class DotProduct {
public:
    DotProduct() { status_ = cudaMalloc(&acc_, sizeof(double)); }
    ~DotProduct() { cudaFree(acc_); }
    DotProduct(const DotProduct&) = delete;
    DotProduct& operator=(const DotProduct&) = delete;

    // x and y on the device; may be called as often as you like
    cudaError_t operator()(const float* x, const float* y, size_t n, double& out)
    {
        if (status_ != cudaSuccess) return status_;
        cudaError_t e = cudaMemset(acc_, 0, sizeof(double));
        if (e != cudaSuccess) return e;
        if (n > 0) {
            size_t blocks = (n + BLOCK - 1) / BLOCK;
            if (blocks > 1024) blocks = 1024;
            dotKernel<<<(unsigned)blocks, BLOCK>>>(x, y, n, acc_);
            e = cudaGetLastError();
            if (e != cudaSuccess) return e;
        }
        return cudaMemcpy(&out, acc_, sizeof(double), cudaMemcpyDeviceToHost);
    }

private:
    double* acc_ = nullptr;
    cudaError_t status_;
};

// convenience wrapper, returns false on any CUDA error
bool dot(const float* x, const float* y, size_t n, double& out)
{
    DotProduct d;
    return d(x, y, n, out) == cudaSuccess;
}
