// C = A^T * B, row-major with leading dimensions.
//   A: k x m, lda >= m     B: k x n, ldb >= n     C: m x n, ldc >= n
//
// One block: 16 x 16 threads, each thread makes two columns of C (j and j + 16).
//   dim3 block(16, 16);
//   dim3 grid((n + 31) / 32, (m + 15) / 16);
//   gemm_tn<float><<<grid, block>>>(m, n, k, A, lda, B, ldb, C, ldc);

template <class real>
__global__ void gemm_tn(int m, int n, int k,
                        const real *A, int lda,
                        const real *B, int ldb,
                        real *C, int ldc)
{
    __shared__ real at[16][16];
    __shared__ real bt[16][32];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i0 = blockIdx.y * 16;
    const int j0 = blockIdx.x * 32;
    real c0 = 0, c1 = 0;

    for (int l0 = 0; l0 < k; l0 += 16) {
        const int l = l0 + ty;
        at[ty][tx]      = (l < k && i0 + tx < m)      ? A[l * lda + i0 + tx]      : real(0);
        bt[ty][tx]      = (l < k && j0 + tx < n)      ? B[l * lda + j0 + tx]      : real(0);
        bt[ty][tx + 16] = (l < k && j0 + tx + 16 < n) ? B[l * ldb + j0 + tx + 16] : real(0);
        __syncthreads();

        for (int q = 0; q < 16; ++q) {
            c0 += at[q][ty] * bt[q][tx];
            c1 += at[q][ty] * bt[q][tx + 16];
        }
        __syncthreads();
    }

    const int i = i0 + ty;
    if (i < m) {
        if (j0 + tx < n)      C[i * ldc + j0 + tx] = c0;
        if (j0 + tx + 16 < n) C[i * ldc + j0 + tx + 16] = c1;
    }
}

template __global__ void gemm_tn<float>(int, int, int, const float *, int, const float *, int, float *, int);
template __global__ void gemm_tn<double>(int, int, int, const double *, int, const double *, int, double *, int);
