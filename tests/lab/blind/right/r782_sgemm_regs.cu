// SGEMM, row-major: C = alpha * A * B + beta * C
//   A: M x K (lda >= K), B: K x N (ldb >= N), C: M x N (ldc >= N)
//   M, N, K up to 30000
//
// One block computes a 64x64 piece of C, every thread a 4x4 piece in registers.
//
//   dim3 grid((N + 63) / 64, (M + 63) / 64);
//   sgemm64<<<grid, 256>>>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 8;
constexpr int TM = 4;
constexpr int TN = 4;
constexpr int NTHREADS = (BM / TM) * (BN / TN);   // 256

__global__ void __launch_bounds__(NTHREADS)
sgemm64(int M, int N, int K, float alpha,
        const float* __restrict__ A, int lda,
        const float* __restrict__ B, int ldb,
        float beta, float* __restrict__ C, int ldc)
{
    __shared__ float As[BK][BM + 4];   // stored transposed
    __shared__ float Bs[BK][BN];

    const int t = threadIdx.x;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int tr = (t / (BN / TN)) * TM;
    const int tc = (t % (BN / TN)) * TN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = t; i < BM * BK; i += NTHREADS) {
            int r = i / BK, c = i % BK;
            bool in = (row0 + r < M) && (k0 + c < K);
            As[c][r] = in ? A[(size_t)(row0 + r) * lda + k0 + c] : 0.0f;
        }
        for (int i = t; i < BK * BN; i += NTHREADS) {
            int r = i / BN, c = i % BN;
            bool in = (k0 + r < K) && (col0 + c < N);
            Bs[r][c] = in ? B[(size_t)(k0 + r) * ldb + col0 + c] : 0.0f;
        }
        __syncthreads();

        #pragma unroll
        for (int kk = 0; kk < BK; kk++) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; i++) a[i] = As[kk][tr + i];
            for (int j = 0; j < TN; j++) b[j] = Bs[kk][tc + j];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; i++) {
        int r = row0 + tr + i;
        if (r >= M) break;
        for (int j = 0; j < TN; j++) {
            int c = col0 + tc + j;
            if (c < N) {
                float *p = &C[(size_t)r * ldc + c];
                // with beta == 0 the old C is not touched (may hold garbage)
                *p = (beta == 0.0f) ? alpha * acc[i][j]
                                    : alpha * acc[i][j] + beta * *p;
            }
        }
    }
}
