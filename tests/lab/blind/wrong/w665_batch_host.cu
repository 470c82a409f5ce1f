// Batched small matrices: C[b] = A[b] * B[b] for b = 0 .. batch-1
// every A[b] is m x k, every B[b] is k x n, stored one after the other, row-major
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

typedef struct {
    int m, n, k;
    int batch;
} Shape;

__global__ void bmm(const double *A, const double *B, double *C, Shape s)
{
    int b = blockIdx.z;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.m || j >= s.n) return;

    const double *a = A + (size_t)b * s.m * s.k + (size_t)i * s.k;
    const double *bb = B + (size_t)b * s.k * s.n + j;
    double r = 0;
    for (int l = 0; l < s.k; l++)
        r += a[l] * bb[(size_t)l * s.n];
    C[(size_t)b * s.m * s.n + (size_t)i * s.n + j] = r;
}

void run_batched(const double *A, const double *B, double *C, Shape s)
{
    size_t nA = (size_t)s.m * s.k * sizeof(double);
    size_t nB = (size_t)s.k * s.n * sizeof(double);
    size_t nC = (size_t)s.m * s.n * sizeof(double);
    double *dA, *dB, *dC;
    cudaMalloc((void **)&dA, s.batch * nA);
    cudaMalloc((void **)&dB, s.batch * nB);
    cudaMalloc((void **)&dC, s.batch * nC);
    cudaMemcpy(dA, A, s.batch * nA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, nB, cudaMemcpyHostToDevice);

    dim3 block(16, 8);
    dim3 grid((s.n + block.x - 1) / block.x, (s.m + block.y - 1) / block.y, s.batch);
    bmm<<<grid, block>>>(dA, dB, dC, s);

    cudaMemcpy(C, dC, s.batch * nC, cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}

int main(void)
{
    Shape s = {20, 30, 25, 12};
    double *A = (double *)malloc(s.batch * s.m * s.k * sizeof(double));
    double *B = (double *)malloc(s.batch * s.k * s.n * sizeof(double));
    double *C = (double *)malloc(s.batch * s.m * s.n * sizeof(double));
    for (int i = 0; i < s.batch * s.m * s.k; i++) A[i] = 0.01 * (i % 100);
    for (int i = 0; i < s.batch * s.k * s.n; i++) B[i] = 0.02 * (i % 77) - 0.5;

    run_batched(A, B, C, s);

    double sum = 0;
    for (int i = 0; i < s.batch * s.m * s.n; i++) sum += C[i];
    printf("checksum %.10f\n", sum);
    free(A); free(B); free(C);
    return 0;
}
