// Dot product of two int vectors, 64-bit result, warp shuffles and one atomic per block.
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>
#include <cuda_runtime.h>

using ull = unsigned long long;

__inline__ __device__ long long warpSum(long long x)
{
    for (int d = 16; d >= 1; d >>= 1)
        x += __shfl_down_sync(0xffffffffu, x, d);
    return x;
}

// blockDim.x must be a multiple of 32, at most 1024; *out must hold 0 on entry.
__global__ void idot(const int32_t *a, const int32_t *b, size_t n, ull *out)
{
    __shared__ long long perWarp[32];
    const int lane = threadIdx.x & 31;
    const int wid  = threadIdx.x >> 5;

    long long s = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        s += (long long)a[i] * b[i];

    s = warpSum(s);
    if (lane == 0) perWarp[wid] = s;
    __syncthreads();

    if (wid == 0) {
        s = lane < (int)(blockDim.x >> 5) ? perWarp[lane] : 0;
        s = warpSum(s);
        if (lane == 0) atomicAdd(out, (ull)s);   // two's complement wraps correctly
    }
}

int main()
{
    std::mt19937 gen(2024);
    std::uniform_int_distribution<int32_t> dist(-20000, 20000);
    int bad = 0;

    for (size_t n : {size_t(1), size_t(31), size_t(1000), size_t(65537), size_t(3000000)}) {
        std::vector<int32_t> x(n), y(n);
        long long ref = 0;
        for (size_t i = 0; i < n; ++i) {
            x[i] = dist(gen);
            y[i] = dist(gen);
            ref += (long long)x[i] * y[i];
        }
        int32_t *dx = nullptr, *dy = nullptr;
        ull *dr = nullptr;
        cudaMalloc(&dx, n * sizeof(int32_t));
        cudaMalloc(&dy, n * sizeof(int32_t));
        cudaMalloc(&dr, sizeof(ull));
        cudaMemcpy(dx, x.data(), n * sizeof(int32_t), cudaMemcpyHostToDevice);
        cudaMemcpy(dy, y.data(), n * sizeof(int32_t), cudaMemcpyHostToDevice);
        cudaMemset(dr, 0, sizeof(ull));

        idot<<<120, 320>>>(dx, dy, n, dr);

        ull got = 0;
        cudaError_t e = cudaMemcpy(&got, dr, sizeof(ull), cudaMemcpyDeviceToHost);
        bool ok = e == cudaSuccess && (long long)got == ref;
        printf("n=%zu gpu=%lld cpu=%lld %s\n", n, (long long)got, ref, ok ? "ok" : "DIFF");
        bad += !ok;
        cudaFree(dx);
        cudaFree(dy);
        cudaFree(dr);
    }
    return bad;
}
