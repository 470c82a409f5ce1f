#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

// C = A * B ; A is m by k, B is k by n, sizes from the command line
__global__ void matMulKernel(float *C, const float *A, const float *B, int m, int k, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row > m || col > n)
        return;

    float sum = 0.0f;
    for (int i = 0; i < k; i++)
        sum += A[row * k + i] * B[i * n + col];
    C[row * n + col] = sum;
}

void matMulCPU(float *C, const float *A, const float *B, int m, int k, int n)
{
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++) {
            float sum = 0.0f;
            for (int i = 0; i < k; i++)
                sum += A[r * k + i] * B[i * n + c];
            C[r * n + c] = sum;
        }
}

int main(int argc, char *argv[])
{
    int m = 100, k = 60, n = 90;
    if (argc == 4) {
        m = atoi(argv[1]);
        k = atoi(argv[2]);
        n = atoi(argv[3]);
    }
    size_t sizeA = sizeof(float) * m * k;
    size_t sizeB = sizeof(float) * k * n;
    size_t sizeC = sizeof(float) * m * n;

    float *h_A = (float *)malloc(sizeA);
    float *h_B = (float *)malloc(sizeB);
    float *h_C = (float *)malloc(sizeC);
    float *h_ref = (float *)malloc(sizeC);
    for (int i = 0; i < m * k; i++) h_A[i] = (float)(rand() % 10);
    for (int i = 0; i < k * n; i++) h_B[i] = (float)(rand() % 10);

    float *d_A, *d_B, *d_C;
    cudaMalloc((void **)&d_A, sizeA);
    cudaMalloc((void **)&d_B, sizeB);
    cudaMalloc((void **)&d_C, sizeC);
    cudaMemcpy(d_A, h_A, sizeA, cudaMemcpyHostToDevice);
    cudaMemcpy(d_B, h_B, sizeB, cudaMemcpyHostToDevice);

    dim3 block(16, 16);
    dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
    matMulKernel<<<grid, block>>>(d_C, d_A, d_B, m, k, n);
    cudaDeviceSynchronize();
    cudaMemcpy(h_C, d_C, sizeC, cudaMemcpyDeviceToHost);

    matMulCPU(h_ref, h_A, h_B, m, k, n);
    int errors = 0;
    for (int i = 0; i < m * n; i++)
        if (fabsf(h_ref[i] - h_C[i]) > 0.01f) errors++;
    printf("errors: %d\n", errors);

    free(h_A); free(h_B); free(h_C); free(h_ref);
    cudaFree(d_A); cudaFree(d_B); cudaFree(d_C);
    return errors > 0;
}
