#include <iostream>
#include <vector>
#include <random>
#include <cmath>
#include <cuda_runtime.h>

template <typename Real, int TS>
__global__ void gemm(const Real* a, const Real* b, Real* c, int m, int n, int k)
{
    __shared__ Real as[TS][TS];
    __shared__ Real bs[TS][TS];
    const int row = blockIdx.y * TS + threadIdx.y;
    const int col = blockIdx.x * TS + threadIdx.x;

    Real sum = 0;
    for (int t = 0; t < (k + TS - 1) / TS; ++t) {
        const int ac = t * TS + threadIdx.x;
        const int br = t * TS + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = (row < m && ac < k) ? a[row * k + ac] : Real(0);
        bs[threadIdx.y][threadIdx.x] = (br < k && col < n) ? b[br * n + col] : Real(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TS - 1; ++i)
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

int main()
{
    const int m = 96, n = 160, k = 128;
    std::mt19937 gen(7);
    std::uniform_real_distribution<double> dist(0.0, 1.0);
    std::vector<double> a(m * k), b(k * n), c(m * n);
    for (auto& v : a) v = dist(gen);
    for (auto& v : b) v = dist(gen);

    double *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(double));
    cudaMalloc(&db, b.size() * sizeof(double));
    cudaMalloc(&dc, c.size() * sizeof(double));
    cudaMemcpy(da, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block(16, 16);
    dim3 grid((n + 15) / 16, (m + 15) / 16);
    gemm<double, 16><<<grid, block>>>(da, db, dc, m, n, k);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double maxDiff = 0.0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0.0;
            for (int l = 0; l < k; ++l) s += a[i * k + l] * b[l * n + j];
            maxDiff = std::max(maxDiff, std::abs(s - c[i * n + j]));
        }
    std::cout << (maxDiff < 1e-9 ? "accepted" : "rejected") << std::endl;
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return 0;
}
