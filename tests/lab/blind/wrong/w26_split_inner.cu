// Split-K: blockIdx.z selects a slice of the inner dimension, the slices are summed up in C.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TB 16
#define SLICES 4

__global__ void splitK(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[TB][TB];
    __shared__ float b[TB][TB];

    int row = blockIdx.y * TB + threadIdx.y;
    int col = blockIdx.x * TB + threadIdx.x;
    int slice = (K + SLICES - 1) / SLICES;
    int first = blockIdx.z * slice;
    int last = min(first + slice, K);

    float sum = 0.0f;
    for (int k0 = first; k0 < last; k0 += TB) {
        int ka = k0 + threadIdx.x;
        int kb = k0 + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = (row < M && ka < last) ? A[row * K + ka] : 0.0f;
        b[threadIdx.y][threadIdx.x] = (kb < last && col < N) ? B[kb * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TB; k++)
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] += sum;
}

int main()
{
    const int M = 256, N = 192, K = 512;
    float *hA = (float *)malloc(M * K * sizeof(float));
    float *hB = (float *)malloc(K * N * sizeof(float));
    float *hC = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) hA[i] = (float)(rand() % 5 - 2);
    for (int i = 0; i < K * N; i++) hB[i] = (float)(rand() % 5 - 2);

    float *A, *B, *C;
    cudaMalloc(&A, M * K * sizeof(float));
    cudaMalloc(&B, K * N * sizeof(float));
    cudaMalloc(&C, M * N * sizeof(float));
    cudaMemcpy(A, hA, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(B, hB, K * N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(C, 0, M * N * sizeof(float));

    dim3 threads(TB, TB);
    dim3 blocks((N + TB - 1) / TB, (M + TB - 1) / TB, SLICES);
    splitK<<<blocks, threads>>>(A, B, C, M, N, K);
    cudaMemcpy(hC, C, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    int miss = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += hA[i * K + k] * hB[k * N + j];
            if (s != hC[i * N + j]) miss++;
        }
    printf("%d of %d elements differ\n", miss, M * N);
    cudaFree(A); cudaFree(B); cudaFree(C);
    free(hA); free(hB); free(hC);
    return 0;
}
