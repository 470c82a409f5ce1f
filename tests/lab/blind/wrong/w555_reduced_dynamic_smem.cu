// Reduced matrix product with dynamic shared memory, for float and double.
// Rows 2i, 2i+1 of A and columns 2j, 2j+1 of B are added when a tile is fetched.
// m and n even, k arbitrary, row-major.
#include <cuda_runtime.h>
#include <cassert>
#include <cstdio>
#include <cstdlib>

#define CUDA_ASSERT(x) cudaAssert((x), __LINE__)
static void cudaAssert(cudaError_t c, int line)
{
    if (c != cudaSuccess) {
        std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(c));
        std::exit(1);
    }
}

// extern arrays of different types may not share a name, hence the raw bytes
template <typename T>
__device__ T* dynamicShared()
{
    extern __shared__ double storage[];
    return reinterpret_cast<T*>(storage);
}

template <typename T, int W>
__global__ void reducedKernel(const T* A, const T* B, T* C, int m, int n, int k)
{
    T* sA = dynamicShared<T>();      // W x W
    T* sB = sA + W * W;              // W x W

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int half_m = m / 2, half_n = n / 2;
    const int i = blockIdx.y * W + ty;
    const int j = blockIdx.x * W + tx;

    T sum = T(0);
    for (int p0 = 0; p0 < k; p0 += W) {
        T a = T(0), b = T(0);
        if (i < half_m && p0 + tx < k) {
            const T* r = A + (size_t)(2 * i) * k + p0 + tx;
            a = r[0] + r[k];
        }
        if (j < half_n && p0 + ty < k) {
            const T* r = B + (size_t)(p0 + ty) * n + 2 * j;
            b = r[0] + r[1];
        }
        sA[ty * W + tx] = a;
        sB[ty * W + tx] = b;
        __syncthreads();

        for (int p = 0; p < W; ++p)
            sum += sA[ty * W + p] * sB[p * W + tx];
        __syncthreads();
    }
    if (i < half_m && j < half_n)
        C[(size_t)i * half_n + j] = sum;
}

template <typename T>
void reducedMatmul(const T* dA, const T* dB, T* dC, int m, int n, int k)
{
    assert(m > 0 && n > 0 && k > 0);
    assert(m % 2 == 0 && n % 2 == 0);

    constexpr int W = 32;
    const size_t smem = 2 * W * W * sizeof(float);      // two tiles
    dim3 block(W, W);
    dim3 grid((n / 2 + W - 1) / W, (m / 2 + W - 1) / W);
    reducedKernel<T, W><<<grid, block, smem>>>(dA, dB, dC, m, n, k);
    CUDA_ASSERT(cudaGetLastError());
    CUDA_ASSERT(cudaDeviceSynchronize());
}

template void reducedMatmul<float>(const float*, const float*, float*, int, int, int);
template void reducedMatmul<double>(const double*, const double*, double*, int, int, int);
