// Integer dot product with 64-bit result. Values are sensor ticks (up to 10^5),
// so the total does not fit in 32 bits.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

template <unsigned BlockSize, unsigned ItemsPerThread>
__global__ void dot(const int* __restrict__ a, const int* __restrict__ b,
                    unsigned long long* result, int n)
{
    __shared__ long long cache[BlockSize];

    long long acc = 0;
    const int first = blockIdx.x * BlockSize * ItemsPerThread + threadIdx.x;
#pragma unroll
    for (unsigned j = 0; j < ItemsPerThread; ++j) {
        const int i = first + j * BlockSize;
        if (i < n)
            acc += a[i] * b[i];
    }
    cache[threadIdx.x] = acc;
    __syncthreads();

    for (unsigned half = BlockSize / 2; half >= 1; half /= 2) {
        if (threadIdx.x < half)
            cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(result, static_cast<unsigned long long>(cache[0]));
}

int main()
{
    constexpr unsigned block = 128, items = 8;
    const int n = 250001;

    std::mt19937 rng(99);
    std::uniform_int_distribution<int> ticks(0, 100000);
    std::vector<int> a(n), b(n);
    for (auto& v : a) v = ticks(rng);
    for (auto& v : b) v = ticks(rng);

    int *da, *db;
    unsigned long long* dr;
    cudaMalloc(&da, n * sizeof(int));
    cudaMalloc(&db, n * sizeof(int));
    cudaMalloc(&dr, sizeof(*dr));
    cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(*dr));

    const int grid = (n + block * items - 1) / (block * items);
    dot<block, items><<<grid, block>>>(da, db, dr, n);

    unsigned long long got = 0;
    if (cudaMemcpy(&got, dr, sizeof(got), cudaMemcpyDeviceToHost) != cudaSuccess) {
        std::puts("CUDA error");
        return 1;
    }

    unsigned long long want = 0;
    for (int i = 0; i < n; ++i) want += static_cast<unsigned long long>(a[i]) * b[i];
    std::printf("gpu %llu  cpu %llu\n", got, want);

    cudaFree(da);
    cudaFree(db);
    cudaFree(dr);
    return got == want ? 0 : 1;
}
