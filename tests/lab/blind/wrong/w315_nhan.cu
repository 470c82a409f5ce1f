// Bài thực hành 5: nhân ma trận, kích thước ô chọn lúc chạy
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define KT(x) do { cudaError_t loi = (x); if (loi != cudaSuccess) { \
    printf("loi CUDA dong %d: %s\n", __LINE__, cudaGetErrorString(loi)); exit(1); } } while (0)

__global__ void nhan(const float *A, const float *B, float *C, int M, int K, int N, int w)
{
    extern __shared__ float vung[];
    float *sA = vung;
    float *sB = vung + w * w;

    int tx = threadIdx.x, ty = threadIdx.y;
    int hang = blockIdx.y * w + ty;
    int cot = blockIdx.x * w + tx;
    float tong = 0;

    for (int b = 0; b < K; b += w) {
        sA[ty * w + tx] = (hang < M && b + tx < K) ? A[hang * K + b + tx] : 0;
        sB[ty * w + tx] = (b + ty < K && cot < N) ? B[(b + ty) * N + cot] : 0;
        __syncthreads();
        for (int k = 0; k < w; k++)
            tong += sA[ty * w + k] * sB[k * w + tx];
        __syncthreads();
    }
    if (hang < M && cot < N)
        C[hang * N + cot] = tong;
}

int main()
{
    int M = 200, K = 180, N = 220, w = 32;
    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = (float)(rand() % 4);
    for (int i = 0; i < K * N; i++) B[i] = (float)(rand() % 4);

    float *dA, *dB, *dC;
    KT(cudaMalloc(&dA, M * K * sizeof(float)));
    KT(cudaMalloc(&dB, K * N * sizeof(float)));
    KT(cudaMalloc(&dC, M * N * sizeof(float)));
    KT(cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice));
    KT(cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice));

    dim3 khoi(w, w);
    dim3 luoi((N + w - 1) / w, (M + w - 1) / w);
    size_t byteChiaSe = w * w * sizeof(float);
    nhan<<<luoi, khoi, byteChiaSe>>>(dA, dB, dC, M, K, N, w);
    KT(cudaGetLastError());
    KT(cudaDeviceSynchronize());
    KT(cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost));

    int sai = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (s != C[i * N + j]) sai++;
        }
    printf("sai: %d\n", sai);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
