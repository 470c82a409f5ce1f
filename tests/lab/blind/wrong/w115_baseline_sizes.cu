#include <stdio.h>
#include <stdlib.h>
#include <math.h>

/* A_{m x n} x B_{n x k} = C_{m x k} */
__global__ void MatrixMulKernel(int m, int n, int k, double* A, double* B, double* C)
{
    int Row = blockIdx.y*blockDim.y+threadIdx.y;
    int Col = blockIdx.x*blockDim.x+threadIdx.x;

    if ((Row < m) && (Col < k)) {
        double Cvalue = 0.0;
        for (int i = 0; i < n; ++i)
            Cvalue += A[Row*n+i] * B[Col+i*k];
        C[Row*k+Col] = Cvalue;
    }
}

double* allocFill(size_t count, int seed)
{
    double* p = (double*)malloc(count * sizeof(double));
    srand(seed);
    for (size_t i = 0; i < count; i++) p[i] = rand() % 100 / 10.0;
    return p;
}

double* toGpu(const double* h, size_t count)
{
    double* d;
    if (cudaMalloc((void**)&d, count * sizeof(double)) != cudaSuccess) exit(3);
    if (h) cudaMemcpy(d, h, count * sizeof(double), cudaMemcpyHostToDevice);
    return d;
}

int main()
{
    int m = 64, n = 32, k = 96;
    double* A = allocFill(m * n, 1);
    double* B = allocFill(n * k, 2);
    double* C = (double*)calloc(m * k, sizeof(double));

    double* dA = toGpu(A, m * n);
    double* dB = toGpu(B, n * k);
    double* dC = toGpu(NULL, m * k);

    dim3 block(32, 8);
    dim3 grid((k + 31) / 32, (m + 7) / 8);
    MatrixMulKernel<<<grid, block>>>(m, k, n, dA, dB, dC);
    cudaDeviceSynchronize();
    cudaMemcpy(C, dC, m * k * sizeof(double), cudaMemcpyDeviceToHost);

    int count = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++) {
            double s = 0;
            for (int l = 0; l < n; l++) s += A[i*n+l] * B[l*k+j];
            if (fabs(s - C[i*k+j]) > 1e-6) count++;
        }
    printf("%d differences\n", count);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return count > 0;
}
