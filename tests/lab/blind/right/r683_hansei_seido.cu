// 半精度 (half) の行列積。足し算は float で行う。
// A: M×K, B: K×N, C: M×N  (すべて行優先)
#include <cuda_fp16.h>
#include <cstdio>
#include <vector>
#include <cmath>

#define T 16

__global__ void seki(const __half *A, const __half *B, float *C, int M, int N, int K)
{
    __shared__ __half a[T][T];
    __shared__ __half b[T][T];

    int gyou = blockIdx.y * T + threadIdx.y;   // 行
    int retu = blockIdx.x * T + threadIdx.x;   // 列
    float wa = 0.0f;                           // 和

    for (int k0 = 0; k0 < K; k0 += T) {
        int ka = k0 + threadIdx.x;
        int kb = k0 + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = (gyou < M && ka < K) ? A[gyou * K + ka] : __float2half(0.0f);
        b[threadIdx.y][threadIdx.x] = (kb < K && retu < N) ? B[kb * N + retu] : __float2half(0.0f);
        __syncthreads();
        // 最後のタイルは短い
        int nagasa = min(T, K - k0);
        for (int k = 0; k < nagasa; k++)
            wa += __half2float(a[threadIdx.y][k]) * __half2float(b[k][threadIdx.x]);
        __syncthreads();
    }
    if (gyou < M && retu < N)
        C[gyou * N + retu] = wa;
}

int main()
{
    const int M = 50, N = 33, K = 70;
    std::vector<__half> A(M * K), B(K * N);
    std::vector<float> C(M * N);
    for (int i = 0; i < M * K; i++) A[i] = __float2half((float)(i % 9 - 4));
    for (int i = 0; i < K * N; i++) B[i] = __float2half((float)(i % 7 - 3) * 0.5f);

    __half *dA, *dB;
    float *dC;
    cudaMalloc(&dA, sizeof(__half) * M * K);
    cudaMalloc(&dB, sizeof(__half) * K * N);
    cudaMalloc(&dC, sizeof(float) * M * N);
    cudaMemcpy(dA, A.data(), sizeof(__half) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(__half) * K * N, cudaMemcpyHostToDevice);

    seki<<<dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost);

    float gosa = 0.0f;   // 誤差
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0.0f;
            for (int k = 0; k < K; k++)
                s += __half2float(A[i * K + k]) * __half2float(B[k * N + j]);
            gosa = fmaxf(gosa, fabsf(s - C[i * N + j]));
        }
    printf("gosa = %f\n", gosa);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
