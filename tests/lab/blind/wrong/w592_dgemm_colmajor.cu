// Column-major DGEMM (BLAS convention):  C = alpha * A * B + beta * C
//
//   A(i,l) = A[i + l*lda]   m x k,  lda >= m
//   B(l,j) = B[l + j*ldb]   k x n,  ldb >= k
//   C(i,j) = C[i + j*ldc]   m x n,  ldc >= m
//
// m, n, k: any positive value.
// Launch:  dim3 block(TS, TS);  dim3 grid((m + TS - 1) / TS, (n + TS - 1) / TS);
#include <cuda_runtime.h>

template <int TS>
__global__ void dgemm_nn(int m, int n, int k, double alpha,
                         const double* A, int lda,
                         const double* B, int ldb,
                         double beta, double* C, int ldc)
{
    __shared__ double tileA[TS][TS + 1];   // tileA[l][i]
    __shared__ double tileB[TS][TS + 1];   // tileB[j][l]

    const int tx = threadIdx.x;            // fast index: rows, for coalescing
    const int ty = threadIdx.y;
    const int i = blockIdx.x * TS + tx;
    const int j = blockIdx.y * TS + ty;

    double acc = 0.0;
    for (int l0 = 0; l0 < k; l0 += TS) {
        const int la = l0 + ty;
        const int lb = l0 + tx;
        tileA[ty][tx] = (i < m && la < k) ? A[i + (size_t)la * lda] : 0.0;
        tileB[ty][tx] = (lb < k && j < n) ? B[lb + (size_t)j * lda] : 0.0;
        __syncthreads();

        #pragma unroll
        for (int l = 0; l < TS; ++l)
            acc += tileA[l][tx] * tileB[ty][l];
        __syncthreads();
    }

    if (i < m && j < n) {
        double* c = C + i + (size_t)j * ldc;
        *c = (beta == 0.0) ? alpha * acc : alpha * acc + beta * *c;
    }
}

template __global__ void dgemm_nn<16>(int, int, int, double, const double*, int,
                                      const double*, int, double, double*, int);
