// 4x1 coarsening without shared memory: every thread computes 4 consecutive rows
// of one column. B values are loaded once and used four times.
//
// blockDim 32 x 8, so one block covers 32 columns and 32 rows.

__global__ void mm_4x1(int M, int N, int K,
                       const float* __restrict__ A, int lda,
                       const float* __restrict__ B, int ldb,
                       float* __restrict__ C, int ldc)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = (blockIdx.y * blockDim.y + threadIdx.y) * 4;

    if (j >= N || i >= M) return;

    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;

    if (i + 3 < M) {
        // normal case, all four rows exist
        for (int k = 0; k < K; ++k) {
            float b = B[k * ldb + j];
            c0 += A[(i + 0) * lda + k] * b;
            c1 += A[(i + 1) * lda + k] * b;
            c2 += A[(i + 2) * lda + k] * b;
            c3 += A[(i + 3) * lda + k] * b;
        }
        C[(i + 0) * ldc + j] = c0;
        C[(i + 1) * ldc + j] = c1;
        C[(i + 2) * ldc + j] = c2;
        C[(i + 3) * ldc + j] = c3;
    } else {
        // at the lower border: one to three rows left
        for (int r = i; r < M; ++r) {
            float s = 0;
            for (int k = 0; k < K; ++k)
                s += A[r * lda + k] * B[k * ldb + j];
            C[r * ldc + j] = s;
        }
    }
}
