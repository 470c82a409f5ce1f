/* Column-major like in Fortran / cuBLAS:  C (m x n) = A (m x k) * B (k x n), double */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define IDX2C(i, j, ld) (((j) * (ld)) + (i))
#define SZ 8

__global__ void dmatmul_cm(double *C, const double *A, const double *B, int k, int n, int m)
{
    __shared__ double a[SZ][SZ];
    __shared__ double b[SZ][SZ];

    int i = blockIdx.x * SZ + threadIdx.x;   /* row    */
    int j = blockIdx.y * SZ + threadIdx.y;   /* column */
    double z = 0.0;

    for (int l = 0; l < k; l += SZ) {
        int la = l + threadIdx.y;
        int lb = l + threadIdx.x;
        a[threadIdx.x][threadIdx.y] = (i < m && la < k) ? A[IDX2C(i, la, m)] : 0.0;
        b[threadIdx.x][threadIdx.y] = (lb < k && j < n) ? B[IDX2C(lb, j, k)] : 0.0;
        __syncthreads();
        for (int q = 0; q < SZ; q++)
            z += a[threadIdx.x][q] * b[q][threadIdx.y];
        __syncthreads();
    }

    if (i < m && j < n)
        C[IDX2C(i, j, m)] = z;
}

int main(void)
{
    int m = 50, n = 91, k = 67, i, j, l, wrong = 0;
    double *A = (double*)malloc(m * k * sizeof(double));
    double *B = (double*)malloc(k * n * sizeof(double));
    double *C = (double*)malloc(m * n * sizeof(double));
    for (j = 0; j < k; j++)
        for (i = 0; i < m; i++)
            A[IDX2C(i, j, m)] = (double)(i * k + j + 1) / (m * k);
    for (j = 0; j < n; j++)
        for (i = 0; i < k; i++)
            B[IDX2C(i, j, k)] = (double)(i - j) / n;

    double *dA, *dB, *dC;
    cudaMalloc((void**)&dA, m * k * sizeof(double));
    cudaMalloc((void**)&dB, k * n * sizeof(double));
    cudaMalloc((void**)&dC, m * n * sizeof(double));
    cudaMemcpy(dA, A, m * k * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, k * n * sizeof(double), cudaMemcpyHostToDevice);

    dim3 thr(SZ, SZ);
    dim3 blk((m + SZ - 1) / SZ, (n + SZ - 1) / SZ);
    dmatmul_cm<<<blk, thr>>>(dC, dA, dB, k, n, m);
    cudaMemcpy(C, dC, m * n * sizeof(double), cudaMemcpyDeviceToHost);

    for (j = 0; j < n; j++)
        for (i = 0; i < m; i++) {
            double s = 0.0;
            for (l = 0; l < k; l++)
                s += A[IDX2C(i, l, m)] * B[IDX2C(l, j, k)];
            if (!(fabs(s - C[IDX2C(i, j, m)]) <= 1e-9)) wrong++;
        }
    printf("%s\n", wrong ? "BAD" : "OK");
    free(A); free(B); free(C);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return wrong ? 1 : 0;
}
