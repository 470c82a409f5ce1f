// C = A * B^T   (A: m x k, leading dimension lda;  B: n x k, ldb;  C: m x n, ldc), row-major.
// Launch with <<<dim3(ceil(n/16), ceil(m/16)), dim3(16,16)>>>.
template <class Real, int TILE = 16>
__global__ void gemm_nt(int m, int n, int k,
                        const Real *__restrict__ A, int lda,
                        const Real *__restrict__ B, int ldb,
                        Real *__restrict__ C, int ldc)
{
    __shared__ Real sa[TILE][TILE + 1];
    __shared__ Real sb[TILE][TILE + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;     // row of A and C
    const int col = blockIdx.x * TILE + tx;     // column of C
    const int brow = blockIdx.x * TILE + ty;    // row of B that this thread loads

    Real acc = Real(0);
    for (int base = 0; base < k; base += TILE) {
        const int kk = base + tx;
        sa[ty][tx] = (row < m && kk < k) ? A[row * lda + kk] : Real(0);
        sb[ty][tx] = (col < n && kk < k) ? B[brow * ldb + kk] : Real(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i)
            acc += sa[ty][i] * sb[tx][i];
        __syncthreads();
    }

    if (row < m && col < n)
        C[row * ldc + col] = acc;
}

template __global__ void gemm_nt<float, 16>(int, int, int, const float *, int, const float *, int, float *, int);
template __global__ void gemm_nt<double, 16>(int, int, int, const double *, int, const double *, int, double *, int);
