// y = x^T A (A は m×n の行優先)
// 行を ROWS 本ずつブロックに分けて、最後に atomicAdd で足し合わせる
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int ROWS = 64;
constexpr int TPB = 128;

__global__ void xtA(const float* x, const float* A, float* y, int m, int n)
{
    int col = blockIdx.x * TPB + threadIdx.x;
    if (col >= n) return;
    int r0 = blockIdx.y * ROWS;
    int r1 = min(r0 + ROWS, m);
    float s = 0.f;
    for (int r = r0; r < r1; ++r)
        s += x[r] * A[(size_t)r * n + col];   // 列方向に連続アクセス
    atomicAdd(&y[col], s);
}

void keisan(const float* dx, const float* dA, float* dy, int m, int n)
{
    dim3 grid((n + TPB - 1) / TPB, (m + ROWS - 1) / ROWS);
    cudaMemset(dy, 0, n);
    xtA<<<grid, TPB>>>(dx, dA, dy, m, n);
}

int main()
{
    const int m = 500, n = 777;
    std::vector<float> x(m), A((size_t)m * n), y(n);
    for (int i = 0; i < m; ++i) x[i] = 0.01f * (i % 13) - 0.05f;
    for (size_t i = 0; i < A.size(); ++i) A[i] = 0.02f * (i % 29) - 0.3f;

    float *dx, *dA, *dy;
    cudaMalloc(&dx, m * sizeof(float));
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMemcpy(dx, x.data(), m * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);

    keisan(dx, dA, dy, m, n);                 // ウォームアップ
    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    cudaEventRecord(e0);
    keisan(dx, dA, dy, m, n);
    cudaEventRecord(e1);
    cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    float ms = 0.f;
    cudaEventElapsedTime(&ms, e0, e1);

    int bad = 0;
    for (int j = 0; j < n; ++j) {
        double ref = 0.0;
        for (int i = 0; i < m; ++i) ref += (double)x[i] * A[(size_t)i * n + j];
        if (std::fabs(ref - y[j]) > 1e-3) ++bad;
    }
    std::printf("%.3f ms, 不一致 %d 個\n", ms, bad);
    cudaFree(dx); cudaFree(dA); cudaFree(dy);
    return bad != 0;
}
