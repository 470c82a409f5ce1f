// dot product with templates: type of the numbers and size of the block
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

template <typename T, int BLOCK>
__global__ void dotKernel(const T *x, const T *y, T *result, int n)
{
    static_assert((BLOCK & (BLOCK - 1)) == 0, "BLOCK must be a power of two");
    __shared__ T cache[BLOCK];

    T mine = T(0);
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        mine += x[i] * y[i];
    cache[threadIdx.x] = mine;
    __syncthreads();

#pragma unroll
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        atomicAdd(result, cache[0]);
}

template <typename T, int BLOCK = 128>
T dot(const std::vector<T> &x, const std::vector<T> &y)
{
    const int n = static_cast<int>(x.size());
    T *dx, *dy, *dr, r = T(0);
    cudaMalloc(&dx, n * sizeof(T));
    cudaMalloc(&dy, n * sizeof(T));
    cudaMalloc(&dr, sizeof(T));
    cudaMemcpy(dx, x.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(dr, &r, sizeof(T), cudaMemcpyHostToDevice);   // start from zero

    int blocks = std::min((n + BLOCK - 1) / BLOCK, 64);
    dotKernel<T, BLOCK><<<blocks, BLOCK>>>(dx, dy, dr, n);

    cudaMemcpy(&r, dr, sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dr);
    return r;
}

int main()
{
    std::vector<float> a(10007), b(10007);
    std::vector<int> c(3000), d(3000);
    for (size_t i = 0; i < a.size(); ++i) { a[i] = 0.5f; b[i] = float(i % 4); }
    for (size_t i = 0; i < c.size(); ++i) { c[i] = int(i % 10); d[i] = 2; }
    std::cout << "float: " << dot(a, b) << "\n";
    std::cout << "int:   " << dot<int, 256>(c, d) << " (27000 expected)\n";
}
