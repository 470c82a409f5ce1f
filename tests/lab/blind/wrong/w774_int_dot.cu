// Dot product of two vectors of 32-bit integers.
// Elements may be anything up to +-1 000 000, so the result is a 64-bit integer.
#include <cstdio>
#include <vector>
#include <random>
#include <cuda_runtime.h>

using ll = long long;
using ull = unsigned long long;

template <int THREADS>
__global__ void dotInt(const int* __restrict__ x, const int* __restrict__ y, int n, ull* out)
{
    static_assert(THREADS % 32 == 0, "whole warps only");
    __shared__ ll perWarp[THREADS / 32];

    ll acc = 0;
    const int stride = gridDim.x * THREADS;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
        acc += x[i] * y[i];

    for (int d = 16; d >= 1; d >>= 1)
        acc += __shfl_xor_sync(0xffffffffu, acc, d);

    if (threadIdx.x % 32 == 0)
        perWarp[threadIdx.x / 32] = acc;
    __syncthreads();

    if (threadIdx.x == 0) {
        ll total = 0;
        for (int w = 0; w < THREADS / 32; ++w)
            total += perWarp[w];
        // two's complement: adding as unsigned is fine for negative totals too
        atomicAdd(out, (ull)total);
    }
}

struct DeviceBuffer {
    void* ptr = nullptr;
    explicit DeviceBuffer(size_t bytes) { cudaMalloc(&ptr, bytes); }
    ~DeviceBuffer() { cudaFree(ptr); }
    template <class T> T* as() { return static_cast<T*>(ptr); }
};

int main()
{
    constexpr int THREADS = 128;
    const int n = 777777;

    std::mt19937 gen(99);
    std::uniform_int_distribution<int> small(-1000, 1000);
    std::vector<int> x(n), y(n);
    ll expected = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = small(gen);
        y[i] = small(gen);
        expected += (ll)x[i] * y[i];
    }

    DeviceBuffer dx(n * sizeof(int)), dy(n * sizeof(int)), dr(sizeof(ull));
    cudaMemcpy(dx.ptr, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dy.ptr, y.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dr.ptr, 0, sizeof(ull));

    const int blocks = 200;
    dotInt<THREADS><<<blocks, THREADS>>>(dx.as<int>(), dy.as<int>(), n, dr.as<ull>());

    ull raw = 0;
    cudaError_t rc = cudaMemcpy(&raw, dr.ptr, sizeof(ull), cudaMemcpyDeviceToHost);
    if (rc != cudaSuccess) {
        std::printf("cuda error: %s\n", cudaGetErrorString(rc));
        return 1;
    }

    const ll got = (ll)raw;
    std::printf("gpu %lld cpu %lld %s\n", got, expected, got == expected ? "equal" : "DIFFERENT");
    return got == expected ? 0 : 1;
}
