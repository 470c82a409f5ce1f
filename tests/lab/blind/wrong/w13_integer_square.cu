#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define BS 16

__global__ void matrixMul(int *C, const int *A, const int *B, int n)
{
    __shared__ int As[BS][BS];
    __shared__ int Bs[BS][BS];

    int col = blockIdx.x * BS + threadIdx.x;
    int row = blockIdx.y * BS + threadIdx.y;

    if (row >= n || col >= n) return;

    int sum = 0;
    for (int t = 0; t < n; t += BS) {
        As[threadIdx.y][threadIdx.x] = (row < n && t + threadIdx.x < n) ? A[row * n + t + threadIdx.x] : 0;
        Bs[threadIdx.y][threadIdx.x] = (col < n && t + threadIdx.y < n) ? B[(t + threadIdx.y) * n + col] : 0;
        __syncthreads();

        for (int k = 0; k < BS; k++)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && col < n)
        C[row * n + col] = sum;
}

int main(int argc, char **argv)
{
    int n = 1000;
    if (argc > 1) n = atoi(argv[1]);
    printf("n = %d\n", n);

    int *A = (int *)malloc(n * n * sizeof(int));
    int *B = (int *)malloc(n * n * sizeof(int));
    int *C = (int *)malloc(n * n * sizeof(int));
    for (int i = 0; i < n * n; i++) { A[i] = rand() % 100; B[i] = rand() % 100; }

    int *dA, *dB, *dC;
    cudaMalloc((void **)&dA, n * n * sizeof(int));
    cudaMalloc((void **)&dB, n * n * sizeof(int));
    cudaMalloc((void **)&dC, n * n * sizeof(int));
    cudaMemcpy(dA, A, n * n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, n * n * sizeof(int), cudaMemcpyHostToDevice);

    dim3 dimBlock(BS, BS, 1);
    dim3 dimGrid((n - 1) / BS + 1, (n - 1) / BS + 1, 1);
    matrixMul<<<dimGrid, dimBlock>>>(dC, dA, dB, n);
    cudaMemcpy(C, dC, n * n * sizeof(int), cudaMemcpyDeviceToHost);

    int ok = 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int s = 0;
            for (int k = 0; k < n; k++) s += A[i * n + k] * B[k * n + j];
            if (s != C[i * n + j]) ok = 0;
        }
    puts(ok ? "Test passed" : "Test failed");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
