// 転置行列とベクトルの積  y = A^T x
// A は rows x cols (行優先)、x は rows 個、y は cols 個。
// power iteration の練習で何回も呼ぶ。
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr int BX = 32;
constexpr int BY = 8;

__global__ void gemvT(const float* A, const float* x, float* y, int rows, int cols)
{
    __shared__ float part[BY][BX];
    const int c = blockIdx.x * BX + threadIdx.x;

    float s = 0.0f;
    if (c < cols)
        for (int r = blockIdx.y * BY + threadIdx.y; r < rows; r += gridDim.y * BY)
            s += A[(size_t)r * cols + c] * x[r];
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();

    if (threadIdx.y == 0 && c < cols) {
        for (int q = 1; q < BY; ++q)
            s += part[q][threadIdx.x];
        atomicAdd(y + c, s);
    }
}

int main()
{
    const int n = 200, steps = 5;
    std::vector<float> A(n * n), v(n, 1.0f);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            A[i * n + j] = 1.0f / (1.0f + std::abs(i - j)) + (i > j ? 0.1f : 0.0f);

    float *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dy, 0, n * sizeof(float));

    const dim3 block(BX, BY), grid((n + BX - 1) / BX, 4);
    for (int step = 0; step < steps; ++step) {
        cudaMemcpy(dx, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        gemvT<<<grid, block>>>(dA, dx, dy, n, n);
        cudaMemcpy(v.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);

        double norm = 0.0;
        for (float t : v) norm += double(t) * t;
        norm = std::sqrt(norm);
        for (float& t : v) t = float(t / norm);
        std::printf("step %d: norm = %f\n", step, norm);
    }

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
