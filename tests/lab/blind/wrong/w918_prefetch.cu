#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int TM = 8, TN = 32, TK = 16;

struct Stage {
    float a[TM][TK];
    float b[TK][TN];
};

__device__ void load(Stage& st, const float* A, const float* B, int M, int K, int N, int k0)
{
    int t = threadIdx.y * TN + threadIdx.x;
    for (int e = t; e < TM * TK; e += TM * TN) {
        int i = blockIdx.y * TM + e / TK, k = k0 + e % TK;
        st.a[e / TK][e % TK] = (i < M && k < K) ? A[i * K + k] : 0.f;
    }
    for (int e = t; e < TK * TN; e += TM * TN) {
        int k = k0 + e / TN, j = blockIdx.x * TN + e % TN;
        st.b[e / TN][e % TN] = (k < K && j < N) ? B[k * N + j] : 0.f;
    }
}

__global__ void matmul_prefetch(const float* A, const float* B, float* C, int M, int K, int N)
{
    __shared__ Stage st[2];
    float sum = 0.f;
    int now = 0;

    load(st[0], A, B, M, K, N, 0);
    for (int k0 = 0; k0 < K; k0 += TK) {
        if (k0 + TK < K)
            load(st[now ^ 1], A, B, M, K, N, k0 + TK);
        __syncthreads();
        for (int k = 0; k < TK; ++k)
            sum += st[now].a[threadIdx.y][k] * st[now].b[k][threadIdx.x];
        now ^= 1;
    }

    int i = blockIdx.y * TM + threadIdx.y, j = blockIdx.x * TN + threadIdx.x;
    if (i < M && j < N) C[i * N + j] = sum;
}

int main()
{
    const int M = 50, K = 130, N = 70;
    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (float& x : A) x = float(rand() % 9 - 4);
    for (float& x : B) x = float(rand() % 9 - 4);
    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * 4);
    cudaMalloc(&dB, B.size() * 4);
    cudaMalloc(&dC, C.size() * 4);
    cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * 4, cudaMemcpyHostToDevice);
    dim3 grid((N + TN - 1) / TN, (M + TM - 1) / TM);
    matmul_prefetch<<<grid, dim3(TN, TM)>>>(dA, dB, dC, M, K, N);
    cudaMemcpy(C.data(), dC, C.size() * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            bad += s != C[i * N + j];
        }
    std::printf("%s\n", bad ? "FAIL" : "PASS");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad ? 1 : 0;
}
