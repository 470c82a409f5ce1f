// DGEMM for a cluster code: each thread owns 4 consecutive rows of one column of C.
// Everything row major:
//      A: M x K, pitch lda;   B: K x N, pitch ldb;   C: M x N, pitch ldc
//
// Tile of C: 64 rows x 16 columns, block dim3(16, 16),
// grid dim3((N + 15) / 16, (M + 63) / 64).
// M, N, K need not be multiples of anything.

enum { TN = 16, TK = 16, RPT = 4, TM = 16 * RPT };

__global__ void dgemm_rows4(int M, int N, int K,
                            const double *A, size_t lda,
                            const double *B, size_t ldb,
                            double *C, size_t ldc)
{
    __shared__ double as[TM][TK + 1];
    __shared__ double bs[TK][TN];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row0 = blockIdx.y * TM;
    int col  = blockIdx.x * TN + tx;

    double acc[RPT];
    for (int r = 0; r < RPT; r++) acc[r] = 0.0;

    for (int kb = 0; kb < K; kb += TK) {
        for (int r = 0; r < RPT; r++) {
            int lr = r * 16 + ty;                    // local row, coalesced over tx
            if (row0 + lr < M && kb + tx < K)
                as[lr][tx] = A[(row0 + lr) * lda + kb + tx];
            else
                as[lr][tx] = 0.0;
        }
        if (kb + ty < K && col < N)
            bs[ty][tx] = B[(kb + ty) * ldb + col];
        else
            bs[ty][tx] = 0.0;
        __syncthreads();

        for (int k = 0; k < TK; k++) {
            double b = bs[k][tx];
            for (int r = 0; r < RPT; r++)
                acc[r] += as[ty * RPT + r][k] * b;
        }
        __syncthreads();
    }

    int row = row0 + ty * RPT;
    if (row < M && col < N)
        for (int r = 0; r < RPT; r++)
            C[(row + r) * ldc + col] = acc[r];
}
