#include <cuda_runtime.h>

/*
 * C := alpha * A * B + beta * C   in double precision, BLAS conventions.
 *
 * All three matrices are stored column by column:
 *     A(i,p) = A[i + p*lda],  A is m x k,  lda >= m
 *     B(p,j) = B[p + j*ldb],  B is k x n,  ldb >= k
 *     C(i,j) = C[i + j*ldc],  C is m x n,  ldc >= m
 * m, n >= 1 and k >= 0 are arbitrary (n up to one million).
 * As in BLAS, C is not read when beta == 0.
 *
 * The block must be square; the tile has the edge length of the block.
 * Dynamic shared memory: 2 * edge * edge doubles.
 */
__global__ void dgemm_nn(int m, int n, int k, double alpha,
                         const double* __restrict__ A, int lda,
                         const double* __restrict__ B, int ldb,
                         double beta, double* C, int ldc)
{
    extern __shared__ double pool[];

    const int T  = blockDim.x;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    double* As = pool;           // As[p*T + i]
    double* Bs = pool + T * T;   // Bs[j*T + p]

    // threadIdx.x runs down a column: neighbours in memory
    const int i = blockIdx.x * T + tx;
    const int j = blockIdx.y * T + ty;

    double acc = 0.0;

    for (int p0 = 0; p0 < k; p0 += T) {
        const int pa = p0 + ty;
        const int pb = p0 + tx;

        As[ty * T + tx] = (i < m && pa < k) ? A[i  + (size_t)pa * lda] : 0.0;
        Bs[ty * T + tx] = (pb < k && j < n) ? B[pb + (size_t)j  * ldb] : 0.0;
        __syncthreads();

        for (int p = 0; p < T; ++p)
            acc += As[p * T + tx] * Bs[ty * T + p];
        __syncthreads();
    }

    if (i < m && j < n) {
        double* c = C + i + (size_t)j * ldc;
        if (beta == 0.0)
            *c = alpha * acc;
        else
            *c = alpha * acc + beta * *c;
    }
}

extern "C" cudaError_t my_dgemm(int m, int n, int k, double alpha,
                                const double* dA, int lda,
                                const double* dB, int ldb,
                                double beta, double* dC, int ldc,
                                cudaStream_t stream)
{
    const int edge = 16;
    dim3 block(edge, edge);
    dim3 grid((m + edge - 1) / edge, (n + edge - 1) / edge);
    size_t bytes = 2 * edge * edge * sizeof(double);

    dgemm_nn<<<grid, block, bytes, stream>>>(m, n, k, alpha, dA, lda, dB, ldb,
                                             beta, dC, ldc);
    return cudaGetLastError();
}
