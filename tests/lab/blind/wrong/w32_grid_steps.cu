#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

// One block computes one row of C. The row of A is kept in shared memory.
// (k has to be at most 12000, otherwise the row does not fit)
__global__ void rowPerBlock(const float *A, const float *B, float *C, int m, int n, int k)
{
    extern __shared__ float rowA[];
    int row = blockIdx.x;

    for (int i = threadIdx.x; i < k; i += blockDim.x)
        rowA[i] = A[row * k + i];

    for (int col = threadIdx.x; col < n; col += blockDim.x) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++)
            sum += rowA[i] * B[i * n + col];
        C[row * n + col] = sum;
    }
}

int main(int argc, char **argv)
{
    int m = 200, n = 300, k = 400;
    if (argc > 3) { m = atoi(argv[1]); n = atoi(argv[2]); k = atoi(argv[3]); }
    float *A = (float *)malloc(sizeof(float) * m * k);
    float *B = (float *)malloc(sizeof(float) * k * n);
    float *C = (float *)malloc(sizeof(float) * m * n);
    for (int i = 0; i < m * k; i++) A[i] = rand() & 3;
    for (int i = 0; i < k * n; i++) B[i] = rand() & 3;

    float *A_d, *B_d, *C_d;
    cudaMalloc((void **)&A_d, sizeof(float) * m * k);
    cudaMalloc((void **)&B_d, sizeof(float) * k * n);
    cudaMalloc((void **)&C_d, sizeof(float) * m * n);
    cudaMemcpy(A_d, A, sizeof(float) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(B_d, B, sizeof(float) * k * n, cudaMemcpyHostToDevice);
    rowPerBlock<<<m, 128, k * sizeof(float)>>>(A_d, B_d, C_d, m, n, k);
    cudaMemcpy(C, C_d, sizeof(float) * m * n, cudaMemcpyDeviceToHost);

    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int l = 0; l < k; l++) s += A[i * k + l] * B[l * n + j];
            if (s != C[i * n + j]) {
                printf("Error: C[%d,%d]=%g (%g)\n", i, j, C[i * n + j], s);
                exit(1);
            }
        }
    printf("No errors.\n");
    cudaFree(A_d); cudaFree(B_d); cudaFree(C_d);
    free(A); free(B); free(C);
    return 0;
}
