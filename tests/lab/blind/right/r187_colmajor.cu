#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

// column major access as in BLAS
#define IDX(i, j, ld) ((j) * (ld) + (i))
#define NB 16

__global__ void dgemm_cm(int m, int n, int k,
                         const double *A, int lda,
                         const double *B, int ldb,
                         double *C, int ldc)
{
    __shared__ double As[NB][NB];
    __shared__ double Bs[NB][NB];
    // x runs along rows, so that accesses are coalesced
    int i = blockIdx.x * NB + threadIdx.x;
    int j = blockIdx.y * NB + threadIdx.y;
    double r = 0.0;

    for (int p = 0; p < k; p += NB) {
        As[threadIdx.y][threadIdx.x] =
            (i < m && p + threadIdx.y < k) ? A[IDX(i, p + threadIdx.y, lda)] : 0.0;
        Bs[threadIdx.y][threadIdx.x] =
            (p + threadIdx.x < k && j < n) ? B[IDX(p + threadIdx.x, j, ldb)] : 0.0;
        __syncthreads();
        for (int q = 0; q < NB; q++)
            r += As[q][threadIdx.x] * Bs[threadIdx.y][q];
        __syncthreads();
    }
    if (i < m && j < n)
        C[IDX(i, j, ldc)] = r;
}

int main()
{
    int m = 40, n = 25, k = 31;
    std::vector<double> A(m * k), B(k * n), C(m * n, -1.0);
    for (int x = 0; x < m * k; x++) A[x] = (x * 7) % 11;
    for (int x = 0; x < k * n; x++) B[x] = (x * 5) % 13;
    double *dA, *dB, *dC;
    cudaMalloc((void **)&dA, m * k * sizeof(double));
    cudaMalloc((void **)&dB, k * n * sizeof(double));
    cudaMalloc((void **)&dC, m * n * sizeof(double));
    cudaMemcpy(dA, A.data(), m * k * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), k * n * sizeof(double), cudaMemcpyHostToDevice);
    dim3 thr(NB, NB);
    dim3 blk((m + NB - 1) / NB, (n + NB - 1) / NB);
    dgemm_cm<<<blk, thr>>>(m, n, k, dA, m, dB, k, dC, m);
    cudaMemcpy(C.data(), dC, m * n * sizeof(double), cudaMemcpyDeviceToHost);
    double ref = 0;
    for (int q = 0; q < k; q++) ref += A[IDX(3, q, m)] * B[IDX(q, 4, k)];
    printf("%g %g\n", C[IDX(3, 4, m)], ref);
    return 0;
}
