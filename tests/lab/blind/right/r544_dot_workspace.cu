// Dot product in a single launch ("last block done" scheme).
// The workspace can be kept alive and used again for many calls on one stream.
#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>

inline void check(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

static constexpr int kBlock = 256;
static constexpr int kMaxBlocks = 512;

template <typename Acc>
__device__ Acc warp_sum(Acc v)
{
    for (int off = warpSize / 2; off > 0; off /= 2)
        v += __shfl_down_sync(0xffffffffu, v, off);
    return v;
}

// Sum over the block; valid in thread 0 only.
template <typename Acc>
__device__ Acc block_sum(Acc v)
{
    __shared__ Acc part[kBlock / 32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    v = warp_sum(v);
    __syncthreads();              // part[] may still be in use from an earlier call
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < kBlock / 32 ? part[lane] : Acc(0);
        v = warp_sum(v);
    }
    return v;
}

template <typename T, typename Acc>
__global__ void dot_kernel(const T* x, const T* y, size_t n,
                           volatile Acc* partial, unsigned* ticket, Acc* result)
{
    __shared__ bool is_last;

    Acc s = Acc(0);
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
        s += Acc(x[i]) * Acc(y[i]);

    s = block_sum(s);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        __threadfence();          // publish before taking the ticket
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();

    if (is_last) {
        __threadfence();
        Acc t = Acc(0);
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            t += partial[b];
        t = block_sum(t);
        if (threadIdx.x == 0) {
            *result = t;
            *ticket = 0;          // ready for the next launch
        }
    }
}

template <typename Acc>
struct DotWorkspace {
    Acc* partial = nullptr;
    Acc* result = nullptr;
    unsigned* ticket = nullptr;

    DotWorkspace()
    {
        check(cudaMalloc(&partial, kMaxBlocks * sizeof(Acc)));
        check(cudaMalloc(&result, sizeof(Acc)));
        check(cudaMalloc(&ticket, sizeof(unsigned)));
        check(cudaMemset(ticket, 0, sizeof(unsigned)));
    }
    ~DotWorkspace()
    {
        cudaFree(partial);
        cudaFree(result);
        cudaFree(ticket);
    }
    DotWorkspace(const DotWorkspace&) = delete;
    DotWorkspace& operator=(const DotWorkspace&) = delete;
};

// x, y: device pointers to n elements. Any n, also 0.
template <typename T, typename Acc>
Acc dot(const T* x, const T* y, size_t n, DotWorkspace<Acc>& ws)
{
    const size_t want = (n + kBlock - 1) / kBlock;
    const int blocks = int(std::max<size_t>(1, std::min<size_t>(want, kMaxBlocks)));
    dot_kernel<T, Acc><<<blocks, kBlock>>>(x, y, n, ws.partial, ws.ticket, ws.result);
    check(cudaGetLastError());
    Acc h;
    check(cudaMemcpy(&h, ws.result, sizeof(Acc), cudaMemcpyDeviceToHost));
    return h;
}

template double dot<float, double>(const float*, const float*, size_t, DotWorkspace<double>&);
template double dot<double, double>(const double*, const double*, size_t, DotWorkspace<double>&);
