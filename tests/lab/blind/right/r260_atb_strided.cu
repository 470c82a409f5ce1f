// C = A^T * B where all three live inside larger row-major arrays.
//
// A is K x M with row distance lda  (lda >= M)
// B is K x N with row distance ldb  (ldb >= N)
// C is M x N with row distance ldc  (ldc >= N)
// Used for normal equations, so double precision.
//
// launch: dim3 block(24, 24); dim3 grid((N + 23) / 24, (M + 23) / 24);

static const int S = 24;

extern "C" __global__ void normal_product(const double *A, long lda,
                                          const double *B, long ldb,
                                          double *C, long ldc,
                                          int M, int N, int K)
{
    __shared__ double left[S][S];
    __shared__ double right[S][S];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;

    // column of A that we fetch, row of C that we write
    const int a_col = blockIdx.y * S + tx;
    const int c_row = blockIdx.y * S + ty;
    const int c_col = blockIdx.x * S + tx;

    const int steps = K / S + (K % S != 0);

    double s = 0;
    for (int step = 0; step < steps; step++)
    {
        const int kk = step * S + ty;

        left[ty][tx] = 0;
        right[ty][tx] = 0;
        if (kk < K)
        {
            if (a_col < M) left[ty][tx] = A[kk * lda + a_col];
            if (c_col < N) right[ty][tx] = B[kk * ldb + c_col];
        }
        __syncthreads();

        for (int p = 0; p < S; p++)
            s += left[p][ty] * right[p][tx];

        __syncthreads();
    }

    if (c_row >= M || c_col >= N) return;
    C[c_row * ldc + c_col] = s;
}
