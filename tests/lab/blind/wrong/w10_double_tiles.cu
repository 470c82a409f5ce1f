#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int BLK = 16;

__global__ void dgemm_tiled(int m, int n, int k, const double *A, const double *B, double *C)
{
    __shared__ double As[BLK][BLK];
    __shared__ double Bs[BLK][BLK];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * BLK + ty;
    int col = blockIdx.x * BLK + tx;

    double sum = 0.0;
    int phases = (k + BLK - 1) / BLK;
    for (int p = 0; p < phases; ++p) {
        int kk = p * BLK;
        As[ty][tx] = 0.0;
        Bs[ty][tx] = 0.0;
        if (row < m && kk + tx < k) As[ty][tx] = A[row * k + kk + tx];
        if (kk + ty < k && col < n) Bs[ty][tx] = B[(kk + ty) * n + col];
        __syncthreads();

        for (int i = 0; i < BLK; ++i)
            sum += As[ty][i] * Bs[tx][i];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}

int main(int argc, char *argv[])
{
    if (argc != 4) {
        printf("usage: %s m n k\n", argv[0]);
        return 1;
    }
    int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
    double *A = new double[m * k], *B = new double[k * n], *C = new double[m * n];
    for (int i = 0; i < m * k; ++i) A[i] = drand48();
    for (int i = 0; i < k * n; ++i) B[i] = drand48();

    double *a, *b, *c;
    cudaMalloc(&a, m * k * sizeof(double));
    cudaMalloc(&b, k * n * sizeof(double));
    cudaMalloc(&c, m * n * sizeof(double));
    cudaMemcpy(a, A, m * k * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, B, k * n * sizeof(double), cudaMemcpyHostToDevice);

    dim3 threads(BLK, BLK), blocks((n + BLK - 1) / BLK, (m + BLK - 1) / BLK);
    dgemm_tiled<<<blocks, threads>>>(m, n, k, a, b, c);
    cudaMemcpy(C, c, m * n * sizeof(double), cudaMemcpyDeviceToHost);

    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double r = 0;
            for (int l = 0; l < k; ++l) r += A[i * k + l] * B[l * n + j];
            if (fabs(r - C[i * n + j]) > 1e-9 * k) {
                printf("mismatch at %d %d: %f %f\n", i, j, r, C[i * n + j]);
                return 2;
            }
        }
    printf("result is correct\n");
    cudaFree(a); cudaFree(b); cudaFree(c);
    delete[] A; delete[] B; delete[] C;
    return 0;
}
