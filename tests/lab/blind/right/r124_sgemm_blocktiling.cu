// 2-D block tiling with a TM x TN register tile per thread.
// Works for any M, N, K: out-of-range elements are loaded as zero and never stored.
#include <cuda_runtime.h>

template <int BM, int BN, int BK, int TM, int TN>
__global__ void sgemm_blocktiling(int M, int N, int K,
                                  const float *A, const float *B, float *C)
{
    constexpr int THREADS = (BM / TM) * (BN / TN);

    __shared__ float As[BM * BK];
    __shared__ float Bs[BK * BN];

    const int tid       = threadIdx.x;
    const int threadCol = tid % (BN / TN);
    const int threadRow = tid / (BN / TN);
    const int rowBase   = blockIdx.y * BM;
    const int colBase   = blockIdx.x * BN;

    float results[TM][TN] = {};
    float regM[TM];
    float regN[TN];

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = tid; i < BM * BK; i += THREADS) {
            int r = rowBase + i / BK;
            int k = k0 + i % BK;
            As[i] = (r < M && k < K) ? A[r * K + k] : 0.0f;
        }
        for (int i = tid; i < BK * BN; i += THREADS) {
            int k = k0 + i / BN;
            int c = colBase + i % BN;
            Bs[i] = (k < K && c < N) ? B[k * N + c] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            for (int m = 0; m < TM; ++m)
                regM[m] = As[(threadRow * TM + m) * BK + k];
            for (int n = 0; n < TN; ++n)
                regN[n] = Bs[k * BN + threadCol * TN + n];
            for (int m = 0; m < TM; ++m)
                for (int n = 0; n < TN; ++n)
                    results[m][n] += regM[m] * regN[n];
        }
        __syncthreads();
    }

    for (int m = 0; m < TM; ++m) {
        int r = rowBase + threadRow * TM + m;
        if (r >= M)
            break;
        for (int n = 0; n < TN; ++n) {
            int c = colBase + threadCol * TN + n;
            if (c < N)
                C[r * N + c] = results[m][n];
        }
    }
}

void run_sgemm(int M, int N, int K, const float *dA, const float *dB, float *dC)
{
    constexpr int BM = 64, BN = 32, BK = 8, TM = 4, TN = 2;
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    sgemm_blocktiling<BM, BN, BK, TM, TN>
        <<<grid, (BM / TM) * (BN / TN)>>>(M, N, K, dA, dB, dC);
}
