// 64 x 64 of C for each block of 256 threads in a line, 4 x 4 for each thread.
constexpr int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];
    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN), tc = tid % (BN / TN);
    float sum[TM][TN] = {};
    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = tid; i < BM * BK; i += 256) {
            int r = i / BK, k = i % BK, gr = blockIdx.y * BM + r;
            As[r][k] = (gr < M && k0 + k < K) ? A[gr * K + k0 + k] : 0.f;
        }
        for (int i = tid; i < BK * BN; i += 256) {
            int k = i / BN, c = i % BN, gc = blockIdx.x * BN + c;
            Bs[k][c] = (gc < N && k0 + k < K) ? B[(k0 + k) * N + gc] : 0.f;
        }
        __syncthreads();
        for (int k = 0; k < BK; ++k)
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    sum[i][j] += As[tr * TM + i][k] * Bs[k][tc * TN + j];
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            int r = blockIdx.y * BM + tr * TM + i, c = blockIdx.x * BN + tc * TN + j;
            if (r < M && c < N)
                C[r * N + c] = sum[i][j];
        }
}
