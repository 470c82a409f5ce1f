// each thread computes four neighbouring columns of C with float4
// N must be divisible by 4
#include <cstdio>
#include <cstdlib>
#include <cmath>

__device__ inline void axpy4(float4& acc, float a, const float4& v)
{
    acc.x += a * v.x;
    acc.y += a * v.y;
    acc.z += a * v.z;
    acc.w += a * v.w;
}

__global__ void gemm4(int M, int N, int K, const float* A, const float* B, float* C)
{
    const int quads = N / 4;
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || q >= quads) return;

    const float4* B4 = reinterpret_cast<const float4*>(B);
    float4* C4 = reinterpret_cast<float4*>(C);

    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int k = 0; k < K; ++k)
        axpy4(acc, A[row * K + k], B4[k * quads + q * 4]);

    C4[row * quads + q] = acc;
}

int main()
{
    const int M = 60, N = 100, K = 44;
    float* a = (float*)malloc(M * K * sizeof(float));
    float* b = (float*)malloc(K * N * sizeof(float));
    float* c = (float*)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; ++i) a[i] = (rand() % 32) / 8.f;
    for (int i = 0; i < K * N; ++i) b[i] = (rand() % 32) / 8.f;

    float *da, *db, *dc;
    cudaMalloc(&da, M * K * sizeof(float));
    cudaMalloc(&db, K * N * sizeof(float));
    cudaMalloc(&dc, M * N * sizeof(float));
    cudaMemcpy(da, a, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(16, 8);
    dim3 grid((N / 4 + block.x - 1) / block.x, (M + block.y - 1) / block.y);
    gemm4<<<grid, block>>>(M, N, K, da, db, dc);
    cudaMemcpy(c, dc, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.f;
            for (int k = 0; k < K; ++k) s += a[i * K + k] * b[k * N + j];
            if (fabsf(s - c[i * N + j]) > 1e-2f) ok = false;
        }
    printf(ok ? "ok\n" : "not ok\n");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return !ok;
}
