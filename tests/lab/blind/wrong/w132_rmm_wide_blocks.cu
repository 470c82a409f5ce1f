// Reduced matrix multiplication, one thread per element of the result:
// C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

const int N = 128;   // A and B are N x N, C is N/2 x N/2

__global__ void rmm(const float *A, const float *B, float *C, int n)
{
    int half = n / 2;
    int i = blockIdx.y * blockDim.x + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < half && j < half) {
        float s = 0.0f;
        for (int k = 0; k < n; k++)
            s += (A[2 * i * n + k] + A[(2 * i + 1) * n + k]) *
                 (B[k * n + 2 * j] + B[k * n + 2 * j + 1]);
        C[i * half + j] = s;
    }
}

void rmm_host(const float *A, const float *B, float *C, int n)
{
    int half = n / 2;
    for (int i = 0; i < half; i++)
        for (int j = 0; j < half; j++) {
            float s = 0.0f;
            for (int k = 0; k < n; k++)
                s += (A[2 * i * n + k] + A[(2 * i + 1) * n + k]) *
                     (B[k * n + 2 * j] + B[k * n + 2 * j + 1]);
            C[i * half + j] = s;
        }
}

int main()
{
    const int half = N / 2;
    float *A = (float *)malloc(N * N * sizeof(float));
    float *B = (float *)malloc(N * N * sizeof(float));
    float *C = (float *)malloc(half * half * sizeof(float));
    float *R = (float *)malloc(half * half * sizeof(float));
    for (int i = 0; i < N * N; i++) {
        A[i] = rand() % 8;
        B[i] = rand() % 8;
    }

    float *dA, *dB, *dC;
    cudaMalloc(&dA, N * N * sizeof(float));
    cudaMalloc(&dB, N * N * sizeof(float));
    cudaMalloc(&dC, half * half * sizeof(float));
    cudaMemcpy(dA, A, N * N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, N * N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, half * half * sizeof(float));

    dim3 block(32, 8);
    dim3 grid((half + block.x - 1) / block.x, (half + block.y - 1) / block.y);
    rmm<<<grid, block>>>(dA, dB, dC, N);
    cudaMemcpy(C, dC, half * half * sizeof(float), cudaMemcpyDeviceToHost);

    rmm_host(A, B, R, N);
    int diff = 0;
    for (int i = 0; i < half * half; i++)
        if (fabsf(C[i] - R[i]) > 1e-2f)
            diff++;
    printf("%d of %d elements differ\n", diff, half * half);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(R);
    return diff != 0;
}
