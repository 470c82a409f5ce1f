// Reduced matrix product of ints in three steps:
//   1. fold_rows:  RA (m x k)  = pairs of rows of A (2m x k) added
//   2. fold_cols:  RB (k x n)  = pairs of columns of B (k x 2n) added
//   3. multiply:   C  (m x n)  = RA * RB
#include <cuda_runtime.h>

__global__ void fold_rows(const int* A, int* RA, int m, int k)
{
    int total = m * k;
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < total; e += gridDim.x * blockDim.x) {
        int i = e / k, q = e % k;
        RA[e] = A[2 * i * k + q] + A[2 * i * k + k + q];
    }
}

__global__ void fold_cols(const int* B, int* RB, int k, int n)
{
    // a row of B is exactly twice as long as a row of RB,
    // so element e of RB comes from elements 2e and 2e + 1 of B
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < k * n)
        RB[e] = B[2 * e] + B[2 * e + 1];
}

template <int S>
__global__ void multiply(const int* RA, const int* RB, int* C, int m, int k, int n)
{
    __shared__ int x[S * S], y[S * S];
    const int ty = threadIdx.x / S, tx = threadIdx.x % S;
    const int i = blockIdx.y * S + ty, j = blockIdx.x * S + tx;
    int sum = 0;
    for (int left = k, q0 = 0; left > 0; left -= S, q0 += S) {
        x[threadIdx.x] = i < m && tx < left ? RA[i * k + q0 + tx] : 0;
        y[threadIdx.x] = j < n && ty < left ? RB[(q0 + ty) * n + j] : 0;
        __syncthreads();
        for (int q = 0; q < S; ++q) sum += x[ty * S + q] * y[q * S + tx];
        __syncthreads();
    }
    if (i < m && j < n) C[i * n + j] = sum;
}

void reduced_product(const int* A, const int* B, int* C, int m, int k, int n)
{
    if (m < 1 || k < 1 || n < 1) return;
    int *RA, *RB;
    cudaMalloc(&RA, sizeof(int) * m * k);
    cudaMalloc(&RB, sizeof(int) * k * n);
    fold_rows<<<4, 128>>>(A, RA, m, k);
    fold_cols<<<(k * n + 127) / 128, 128>>>(B, RB, k, n);
    multiply<10><<<dim3((n + 9) / 10, (m + 9) / 10), 100>>>(RA, RB, C, m, k, n);
    cudaFree(RA);
    cudaFree(RB);
}
