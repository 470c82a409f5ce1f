// Ödev 5: half veri tipiyle karo karo (tiled) çarpım
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define KARO 16
#define DENE(c) do { cudaError_t h = (c); if (h != cudaSuccess) { printf("HATA %s\n", cudaGetErrorString(h)); exit(1); } } while (0)

__global__ void carp(const __half *A, const __half *B, float *C, int M, int K, int N)
{
    __shared__ float sa[KARO][KARO];
    __shared__ float sb[KARO][KARO];

    int tx = threadIdx.x, ty = threadIdx.y;
    int satir = blockIdx.y * KARO + ty;
    int sutun = blockIdx.x * KARO + tx;
    float t = 0.0f;

    int asama = K / KARO;   // kaç aşama gerekiyor
    for (int a = 0; a < asama; a++) {
        int ka = a * KARO + tx;
        int kb = a * KARO + ty;
        sa[ty][tx] = (satir < M && ka < K) ? __half2float(A[satir * K + ka]) : 0.0f;
        sb[ty][tx] = (kb < K && sutun < N) ? __half2float(B[kb * N + sutun]) : 0.0f;
        __syncthreads();
        for (int k = 0; k < KARO; k++)
            t += sa[ty][k] * sb[k][tx];
        __syncthreads();
    }
    if (satir < M && sutun < N)
        C[satir * N + sutun] = t;
}

int main()
{
    const int M = 75, K = 100, N = 60;
    __half *A, *B;
    float *C;
    DENE(cudaMallocManaged(&A, M * K * sizeof(__half)));
    DENE(cudaMallocManaged(&B, K * N * sizeof(__half)));
    DENE(cudaMallocManaged(&C, M * N * sizeof(float)));
    for (int i = 0; i < M * K; i++) A[i] = __float2half((float)(i % 5) + 1.0f);
    for (int i = 0; i < K * N; i++) B[i] = __float2half((float)(i % 4) + 1.0f);

    dim3 blok(KARO, KARO);
    dim3 izgara((N + KARO - 1) / KARO, (M + KARO - 1) / KARO);
    carp<<<izgara, blok>>>(A, B, C, M, K, N);
    DENE(cudaGetLastError());
    DENE(cudaDeviceSynchronize());

    int yanlis = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += __half2float(A[i * K + k]) * __half2float(B[k * N + j]);
            if (fabsf(s - C[i * N + j]) > 0.5f) yanlis++;
        }
    printf("yanlis: %d\n", yanlis);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
