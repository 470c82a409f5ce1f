// Exact integer dot product.  The products are formed in 64 bits, every warp
// folds its lanes with shuffles, and one atomic per block lands in the total.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

using i64 = long long;
using u64 = unsigned long long;

static const int kThreads = 192;          // any multiple of 32 up to 1024

__device__ __forceinline__ i64 warpSum(i64 v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;                              // valid in lane 0
}

__global__ void dotKernel(const int* __restrict__ x, const int* __restrict__ y,
                          size_t n, u64* total)
{
    __shared__ i64 perWarp[32];

    i64 sum = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        sum += (i64)x[i] * y[i];

    sum = warpSum(sum);
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) perWarp[warp] = sum;
    __syncthreads();

    if (warp == 0) {
        int warps = blockDim.x >> 5;
        sum = lane < warps ? perWarp[lane] : 0;
        sum = warpSum(sum);
        // two's complement: adding as unsigned gives the right signed total
        if (lane == 0) atomicAdd(total, (u64)sum);
    }
}

#define TRY(x)                                                       \
    if (cudaError_t e = (x)) {                                       \
        std::printf("%s failed: %s\n", #x, cudaGetErrorString(e));   \
        return 1;                                                    \
    }

int main()
{
    const size_t n = 1234567;
    std::vector<int> x(n), y(n);
    i64 want = 0;
    for (size_t i = 0; i < n; ++i) {
        x[i] = std::rand() % 200001 - 100000;
        y[i] = std::rand() % 200001 - 90000;
        want += (i64)x[i] * y[i];
    }

    int *dx, *dy;
    u64* dTotal;
    TRY(cudaMalloc(&dx, n * sizeof(int)));
    TRY(cudaMalloc(&dy, n * sizeof(int)));
    TRY(cudaMalloc(&dTotal, sizeof(u64)));
    TRY(cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(dy, y.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    TRY(cudaMemset(dTotal, 0, sizeof(u64)));

    dotKernel<<<120, kThreads>>>(dx, dy, n, dTotal);
    TRY(cudaGetLastError());

    u64 raw = 0;
    TRY(cudaMemcpy(&raw, dTotal, sizeof raw, cudaMemcpyDeviceToHost));
    i64 got = (i64)raw;
    std::printf("got %lld, want %lld: %s\n", got, want, got == want ? "ok" : "MISMATCH");

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dTotal);
    return got == want ? 0 : 1;
}
