// DotEngine: one-launch dot product. Create it once, call it in every CG iteration.
// Buffers are allocated in the constructor, so that a call costs only one kernel.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CUDA_CALL(x) do { cudaError_t rc = (x); if (rc != cudaSuccess) { \
    std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(rc)); \
    std::abort(); } } while (0)

namespace dot_detail {

constexpr int TPB = 128;
constexpr int NWARPS = TPB / 32;
constexpr int NBLOCKS = 160;

struct State {
    double partial[NBLOCKS];
    double value;
    unsigned int arrived;
};

__device__ double reduceBlock(double v)
{
    __shared__ double w[NWARPS];
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    __syncthreads();
    if ((threadIdx.x & 31) == 0)
        w[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        v = 0.0;
        for (int i = 0; i < NWARPS; ++i) v += w[i];
    }
    return v;      // complete in thread 0
}

template <typename T>
__global__ void dotKernel(const T* __restrict__ x, const T* __restrict__ y, long n,
                          volatile State* st, unsigned int* arrived)
{
    __shared__ bool lastBlock;
    double v = 0.0;
    for (long i = blockIdx.x * (long)TPB + threadIdx.x; i < n; i += (long)gridDim.x * TPB)
        v += (double)x[i] * (double)y[i];

    v = reduceBlock(v);
    if (threadIdx.x == 0) {
        st->partial[blockIdx.x] = v;
        __threadfence();
        unsigned int ticket = atomicAdd(arrived, 1u);
        lastBlock = (ticket == gridDim.x - 1);
    }
    __syncthreads();
    if (!lastBlock)
        return;

    // the last block to arrive sees all partial sums
    double sum = 0.0;
    for (int i = threadIdx.x; i < gridDim.x; i += TPB)
        sum += st->partial[i];
    sum = reduceBlock(sum);
    if (threadIdx.x == 0)
        st->value = sum;
}

} // namespace dot_detail

class DotEngine {
public:
    DotEngine()
    {
        CUDA_CALL(cudaMalloc(&state_, sizeof(dot_detail::State)));
        CUDA_CALL(cudaMemset(state_, 0, sizeof(dot_detail::State)));
    }
    ~DotEngine() { cudaFree(state_); }
    DotEngine(const DotEngine&) = delete;
    DotEngine& operator=(const DotEngine&) = delete;

    // x and y are device pointers to n numbers
    template <typename T>
    double operator()(const T* x, const T* y, long n)
    {
        using namespace dot_detail;
        dotKernel<T><<<NBLOCKS, TPB>>>(x, y, n, state_, &state_->arrived);
        CUDA_CALL(cudaGetLastError());
        double result;
        CUDA_CALL(cudaMemcpy(&result, &state_->value, sizeof(double), cudaMemcpyDeviceToHost));
        return result;
    }

private:
    dot_detail::State* state_ = nullptr;
};

// squared residual norm and the CG step length, as used by the solver
double cgAlpha(DotEngine& dot, const double* r, const double* p, const double* Ap, long n)
{
    double rr = dot(r, r, n);
    double pAp = dot(p, Ap, n);
    return rr / pAp;
}
