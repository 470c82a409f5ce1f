// Reduced matrix multiplication with a 2D grid, A and B are n x n with n even
#include <stdio.h>
#include <stdlib.h>

__global__ void reducedMul(const int *A, const int *B, int *C, int n)
{
    int half = n / 2;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half || j >= half) return;

    int sum = 0;
    for (int k = 0; k < n; k++) {
        int a = A[i * n + k] + A[(i + 1) * n + k];
        int b = B[k * n + 2 * j] + B[k * n + 2 * j + 1];
        sum += a * b;
    }
    C[i * half + j] = sum;
}

int main(void)
{
    int n = 64, half = n / 2, errors = 0;
    size_t big = n * n * sizeof(int), small = half * half * sizeof(int);
    int *A = (int*)malloc(big), *B = (int*)malloc(big), *C = (int*)malloc(small);
    for (int i = 0; i < n * n; i++) { A[i] = rand() % 16; B[i] = rand() % 16; }

    int *dA, *dB, *dC;
    cudaMalloc((void**)&dA, big);
    cudaMalloc((void**)&dB, big);
    cudaMalloc((void**)&dC, small);
    cudaMemcpy(dA, A, big, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, big, cudaMemcpyHostToDevice);

    dim3 threads(32, 8);
    dim3 blocks((half + 31) / 32, (half + 7) / 8);
    reducedMul<<<blocks, threads>>>(dA, dB, dC, n);
    cudaMemcpy(C, dC, small, cudaMemcpyDeviceToHost);

    for (int i = 0; i < half; i++)
        for (int j = 0; j < half; j++) {
            int s = 0;
            for (int k = 0; k < n; k++)
                s += (A[2 * i * n + k] + A[(2 * i + 1) * n + k]) *
                     (B[k * n + 2 * j] + B[k * n + 2 * j + 1]);
            if (s != C[i * half + j]) errors++;
        }
    printf("errors: %d\n", errors);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return errors != 0;
}
