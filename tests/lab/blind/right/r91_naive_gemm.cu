// Assignment 2, part 1: baseline matrix multiplication
// A is m x n, B is n x k, C is m x k   (row major, any size)
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOCK 16

__global__ void MatrixMulKernel(int m, int n, int k, float* A, float* B, float* C)
{
    int Row = blockIdx.y*blockDim.y + threadIdx.y;
    int Col = blockIdx.x*blockDim.x + threadIdx.x;

    if ((Row < m) && (Col < k)) {
        float Cvalue = 0.0;
        for (int i = 0; i < n; ++i)
            Cvalue += A[Row*n+i] * B[Col+i*k];
        C[Row*k+Col] = Cvalue;
    }
}

void MatrixMulOnHost(int m, int n, int k, float* A, float* B, float* C)
{
    for (int Row = 0; Row < m; ++Row)
        for (int Col = 0; Col < k; ++Col) {
            float sum = 0;
            for (int i = 0; i < n; ++i)
                sum += A[Row*n + i] * B[Col + i*k];
            C[Row*k + Col] = sum;
        }
}

int main(int argc, char **argv)
{
    int m = 100, n = 75, k = 131;
    if (argc == 4) { m = atoi(argv[1]); n = atoi(argv[2]); k = atoi(argv[3]); }

    size_t sizeA = (size_t)m*n*sizeof(float);
    size_t sizeB = (size_t)n*k*sizeof(float);
    size_t sizeC = (size_t)m*k*sizeof(float);

    float *hA = (float*)malloc(sizeA);
    float *hB = (float*)malloc(sizeB);
    float *hC = (float*)malloc(sizeC);
    float *ref = (float*)malloc(sizeC);

    for (int i = 0; i < m*n; i++) hA[i] = (float)(rand() % 100) / 50.0f - 1.0f;
    for (int i = 0; i < n*k; i++) hB[i] = (float)(rand() % 100) / 50.0f - 1.0f;

    float *dA, *dB, *dC;
    cudaMalloc((void**)&dA, sizeA);
    cudaMalloc((void**)&dB, sizeB);
    cudaMalloc((void**)&dC, sizeC);
    cudaMemcpy(dA, hA, sizeA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, sizeB, cudaMemcpyHostToDevice);

    dim3 dimBlock(BLOCK, BLOCK);
    dim3 dimGrid((k-1)/BLOCK+1, (m-1)/BLOCK+1);
    MatrixMulKernel<<<dimGrid, dimBlock>>>(m, n, k, dA, dB, dC);
    cudaDeviceSynchronize();

    cudaMemcpy(hC, dC, sizeC, cudaMemcpyDeviceToHost);
    MatrixMulOnHost(m, n, k, hA, hB, ref);

    int bad = 0;
    for (int i = 0; i < m*k; i++)
        if (fabsf(hC[i]-ref[i]) > 1e-3f) bad++;
    if (bad) printf("FAILED, %d wrong\n", bad);
    else printf("PASSED\n");

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC); free(ref);
    return bad != 0;
}
