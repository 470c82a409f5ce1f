// Seed 000, "Sequential C code" and "Baseline Kernel": A is m x n, B is n x k, C is m x k.
// Completed and mended lines are listed in docs/check-files.md.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

void MatrixMulOnHost(int m, int n, int k, float* A, float* B, float* C)
{
    for (int Row = 0; Row < m; ++Row)
        for (int Col = 0; Col < k; ++Col) {
            float sum = 0;
            for (int i = 0; i < n; ++i) {
                float a = A[Row*n + i];
                float b = B[Col + i*k];
                sum += a * b;
            }
            C[Row*k + Col] = sum;
        }
}

__global__ void MatrixMulKernel(int m,int n,int k,float* A,float* B, float* C)
{
    int Row = blockIdx.y*blockDim.y+threadIdx.y;
    int Col  = blockIdx.x*blockDim.x+threadIdx.x;

    if ((Row < m) && (Col < k)) {
        float Cvalue = 0.0;
        for (int i = 0; i < n; ++i)
            /* A[Row, i] and B[i, Col] */
            Cvalue += A[Row*n+i] * B[Col+i*k];
        C[Row*k+Col] = Cvalue;
    }
}

int main(int argc, char **argv)
{
    int m = 50, n = 40, k = 70;
    float *A = (float*) malloc(m*n*sizeof(float));
    float *B = (float*) malloc(n*k*sizeof(float));
    float *C = (float*) malloc(m*k*sizeof(float));
    float *expected = (float*) malloc(m*k*sizeof(float));
    float *dA, *dB, *dC;
    for (int i = 0; i < m*n; i++)
        A[i] = rand() / (float) RAND_MAX;
    for (int i = 0; i < n*k; i++)
        B[i] = rand() / (float) RAND_MAX;
    cudaMalloc(&dA, m*n*sizeof(float));
    cudaMalloc(&dB, n*k*sizeof(float));
    cudaMalloc(&dC, m*k*sizeof(float));
    cudaMemcpy(dA, A, m*n*sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, n*k*sizeof(float), cudaMemcpyHostToDevice);

    dim3 dimBlock(16, 16);
    dim3 dimGrid((k-1)/16 + 1, (m-1)/16 + 1);
    MatrixMulKernel<<<dimGrid, dimBlock>>>(m, n, k, dA, dB, dC);

    cudaMemcpy(C, dC, m*k*sizeof(float), cudaMemcpyDeviceToHost);
    MatrixMulOnHost(m, n, k, A, B, expected);
    for (int i = 0; i < m*k; i++)
        if (fabs(C[i] - expected[i]) > 1e-4) {
            printf("Error at %d\n", i);
            return 1;
        }
    printf("PASSED\n");
    return 0;
}
