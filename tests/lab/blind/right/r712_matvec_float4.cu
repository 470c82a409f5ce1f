// y = A * x, one warp per row, reads with float4.
// The number of columns has to be a multiple of 4 (checked below), rows can be anything.
#include <cuda_runtime.h>
#include <iostream>
#include <vector>
#include <stdexcept>
#include <cmath>

namespace cfg {
    constexpr int warpSz = 32;
    constexpr int warpsPerBlock = 4;
}

__global__ void matVec4(const float4* A, const float4* x, float* y, int rows, int cols4)
{
    const int lane = threadIdx.x;                                // 0..31
    const int row  = blockIdx.x * cfg::warpsPerBlock + threadIdx.y;
    if (row >= rows) return;                                     // the whole warp leaves together

    const float4* a = A + (size_t)row * cols4;
    float acc = 0.f;
    for (int j = lane; j < cols4; j += cfg::warpSz) {
        const float4 p = a[j];
        const float4 q = x[j];
        acc += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }

    // butterfly, afterwards every lane has the sum
    for (int m = cfg::warpSz / 2; m >= 1; m /= 2)
        acc += __shfl_xor_sync(0xFFFFFFFF, acc, m);

    if (lane == 0) y[row] = acc;
}

std::vector<float> multiply(const std::vector<float>& A, const std::vector<float>& x, int rows, int cols)
{
    if (cols % 4 != 0) throw std::invalid_argument("cols must be a multiple of 4");
    float *dA = nullptr, *dx = nullptr, *dy = nullptr;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, rows * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(cfg::warpSz, cfg::warpsPerBlock);
    int blocks = (rows + cfg::warpsPerBlock - 1) / cfg::warpsPerBlock;
    matVec4<<<blocks, block>>>(reinterpret_cast<const float4*>(dA),
                               reinterpret_cast<const float4*>(dx), dy, rows, cols / 4);

    std::vector<float> y(rows);
    cudaMemcpy(y.data(), dy, rows * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return y;
}

int main()
{
    const int rows = 1001, cols = 500;
    std::vector<float> A(rows * cols), x(cols);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < cols; ++j)
            A[i * cols + j] = std::sin(0.01f * i) + 0.001f * j;
    for (int j = 0; j < cols; ++j) x[j] = std::cos(0.02f * j);

    auto y = multiply(A, x, rows, cols);
    double maxDiff = 0;
    for (int i = 0; i < rows; ++i) {
        double s = 0;
        for (int j = 0; j < cols; ++j) s += (double)A[i * cols + j] * x[j];
        maxDiff = std::max(maxDiff, std::abs(s - y[i]));
    }
    std::cout << "max diff = " << maxDiff << '\n';
}
