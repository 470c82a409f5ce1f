#include <cuda_runtime.h>
#include <iostream>
#include <vector>

template <typename T>
__global__ void axpy(std::size_t n, T alpha, const T* __restrict__ x, T* __restrict__ y)
{
    std::size_t stride = (std::size_t)blockDim.x * gridDim.x;
    for (std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] += alpha * x[i];
}

int main()
{
    const std::size_t n = 12345;
    std::vector<float> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) { x[i] = float(i % 100); y[i] = 1.0f; }
    float *dx = nullptr, *dy = nullptr;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    axpy<float><<<20, 128>>>(n, 2.0f, dx, dy);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    bool ok = true;
    for (std::size_t i = 0; i < n; ++i) ok = ok && y[i] == 1.0f + 2.0f * x[i];
    std::cout << (ok ? "ok" : "wrong") << std::endl;
    cudaFree(dx);
    cudaFree(dy);
    return ok ? 0 : 1;
}
