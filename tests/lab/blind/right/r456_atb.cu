// C (m x n) = A^T * B, where A is stored as k x m with row pitch lda,
// B is k x n with row pitch ldb, C has row pitch ldc.
// Block of 32 x 8 threads makes a 32 x 32 piece of C, so every thread owns four rows.
#define TS 32
#define RY 8

__global__ void gemm_tn(int m, int n, int k,
                        const float* A, int lda,
                        const float* B, int ldb,
                        float* C, int ldc)
{
    __shared__ float at[TS][TS];
    __shared__ float bt[TS][TS];
    const int lx = threadIdx.x;
    const int ly = threadIdx.y;
    const int ci = blockIdx.y * TS;
    const int cj = blockIdx.x * TS;
    float acc[TS / RY] = {0.f, 0.f, 0.f, 0.f};

    for (int kk = 0; kk < k; kk += TS)
    {
        for (int r = ly; r < TS; r += RY)
        {
            const int krow = kk + r;
            float x = 0.f, y = 0.f;
            if (krow < k)
            {
                if (ci + lx < m) x = A[krow * lda + ci + lx];
                if (cj + lx < n) y = B[krow * ldb + cj + lx];
            }
            at[r][lx] = x;
            bt[r][lx] = y;
        }
        __syncthreads();
        for (int q = 0; q < TS; ++q)
        {
            const float bv = bt[q][lx];
            for (int w = 0; w < TS / RY; ++w)
                acc[w] += at[q][ly + w * RY] * bv;
        }
        __syncthreads();
    }

    for (int w = 0; w < TS / RY; ++w)
    {
        const int row = ci + ly + w * RY;
        if (row < m && cj + lx < n)
            C[row * ldc + cj + lx] = acc[w];
    }
}

void run_gemm_tn(int m, int n, int k, const float* A, int lda, const float* B, int ldb, float* C, int ldc)
{
    dim3 threads(TS, RY);
    dim3 blocks((n + TS - 1) / TS, (m + TS - 1) / TS);
    gemm_tn<<<blocks, threads>>>(m, n, k, A, lda, B, ldb, C, ldc);
}
