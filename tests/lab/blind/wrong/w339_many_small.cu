// Assignment 8: many small products, C[b] = A[b] * B[b] for b = 0 .. count-1
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define TW 16

__global__ void manySmall(float *C, const float *A, const float *B, int M, int N, int K)
{
    __shared__ float As[TW][TW];
    __shared__ float Bs[TW][TW];

    // one slice of the grid for one product
    A += (size_t)blockIdx.z * M * K;
    B += (size_t)blockIdx.z * K * N;
    C += (size_t)blockIdx.z * M * N;

    int row = blockIdx.y * TW + threadIdx.y;
    int col = blockIdx.x * TW + threadIdx.x;
    float sum = 0.0f;

    for (int t = 0; t < (K + TW - 1) / TW; ++t) {
        int ak = t * TW + threadIdx.x;
        int bk = t * TW + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < M && ak < K ? A[row * K + ak] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = bk < K && col < N ? B[bk * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TW; ++k)
            sum = fmaf(As[threadIdx.y][k], Bs[k][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

int main()
{
    const int count = 20, M = 24, N = 40, K = 18;
    const size_t bytesA = sizeof(float) * count * M * K;
    const size_t bytesB = sizeof(float) * K * N;
    const size_t bytesC = sizeof(float) * count * M * N;

    float *A = (float *)malloc(bytesA);
    float *B = (float *)malloc(count * bytesB);
    float *C = (float *)malloc(bytesC);
    for (int i = 0; i < count * M * K; ++i) A[i] = (float)(i % 6) - 2.0f;
    for (int i = 0; i < count * K * N; ++i) B[i] = (float)(i % 11) - 5.0f;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, bytesA);
    cudaMalloc((void **)&dB, count * bytesB);
    cudaMalloc((void **)&dC, bytesC);
    cudaMemcpy(dA, A, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, bytesB, cudaMemcpyHostToDevice);

    dim3 block(TW, TW);
    dim3 grid((N + TW - 1) / TW, (M + TW - 1) / TW, count);
    manySmall<<<grid, block>>>(dC, dA, dB, M, N, K);
    cudaMemcpy(C, dC, bytesC, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int b = 0; b < count; ++b)
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                float s = 0.0f;
                for (int k = 0; k < K; ++k)
                    s += A[(b * M + i) * K + k] * B[(b * K + k) * N + j];
                if (!(fabsf(s - C[(b * M + i) * N + j]) < 1e-3f)) ++wrong;
            }
    printf("%d elements wrong\n", wrong);

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    free(A);
    free(B);
    free(C);
    return wrong != 0;
}
