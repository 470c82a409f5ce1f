#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

constexpr int T = 32;          // M, N and K have to be multiples of T
// block: 8 x 32 threads, a thread owns four neighbouring columns of one row

__global__ void mm4(const float* A, const float* B, float* C, int N, int K)
{
    __shared__ float4 sA[T][T / 4];
    __shared__ float4 sB[T][T / 4];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * T + y;
    int col = blockIdx.x * T + 4 * x;
    float4 acc = make_float4(0, 0, 0, 0);

    for (int k0 = 0; k0 < K; k0 += T) {
        sA[y][x] = *reinterpret_cast<const float4*>(&A[row * K + k0 + 4 * x]);
        sB[y][x] = *reinterpret_cast<const float4*>(&B[(k0 + y) * N + col]);
        __syncthreads();
        for (int q = 0; q < T / 4; ++q) {
            float4 a = sA[y][q];
            float av[4] = {a.x, a.y, a.z, a.w};
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                float4 b = sB[4 * q + e][x];
                acc.x += av[e] * b.x;
                acc.y += av[e] * b.y;
                acc.z += av[e] * b.z;
                acc.w += av[e] * b.w;
            }
        }
        __syncthreads();
    }
    *reinterpret_cast<float4*>(&C[row * N + col]) = acc;
}

int main()
{
    const int M = 64, N = 96, K = 160;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (auto& v : a) v = (rand() % 7) - 3;
    for (auto& v : b) v = (rand() % 5) - 2;
    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    mm4<<<dim3(N / T, M / T), dim3(T / 4, T)>>>(da, db, dc, N, K);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += a[i * K + k] * b[k * N + j];
            if (fabsf(s - c[i * N + j]) > 1e-3f) ++bad;
        }
    printf("%d wrong entries\n", bad);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return bad != 0;
}
