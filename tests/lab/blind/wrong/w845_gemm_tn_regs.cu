#include <cuda_runtime.h>
// C[M,N] = A[K,M]^T * B[K,N], row-major, arbitrary sizes. TM x TN outputs per thread.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
gemm_tn(int M, int N, int K, const float* __restrict__ A, int lda,
        const float* __restrict__ B, int ldb, float* __restrict__ C, int ldc)
{
    constexpr int NT = (BM / TM) * (BN / TN);
    __shared__ float sA[BK][BM], sB[BK][BN];

    const int t = threadIdx.x;
    const int m0 = blockIdx.y * BM, n0 = blockIdx.x * BN;
    const int tm = (t / (BN / TN)) * TM, tn = (t % (BN / TN)) * TN;
    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = t; e < BK * BM; e += NT) {
            const int k = e / BM, m = e % BM;
            sA[k][m] = (k0 + k < K && m0 + m < M) ? A[(size_t)(k0 + k) * lda + m0 + m] : 0.f;
        }
        for (int e = t; e < BK * BN; e += NT) {
            const int k = e / BN, n = e % BN;
            sB[k][n] = (k0 + k < K && n0 + n < N) ? B[(size_t)(k0 + k) * ldb + n0 + n] : 0.f;
        }
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float ra[TM], rb[TN];
            for (int i = 0; i < TM; ++i) ra[i] = sA[k][tm + i];
            for (int j = 0; j < TN; ++j) rb[j] = sB[k][tn + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) acc[i][j] = fmaf(ra[i], rb[j], acc[i][j]);
        }
    }

    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            const int m = m0 + tm + i, n = n0 + tn + j;
            if (m < M && n < N) C[(size_t)m * ldc + n] = acc[i][j];
        }
}

void launch_gemm_tn(int M, int N, int K, const float* A, const float* B, float* C, cudaStream_t s)
{
    dim3 g((N + 63) / 64, (M + 63) / 64);
    gemm_tn<64, 64, 16, 4, 4><<<g, 256, 0, s>>>(M, N, K, A, M, B, N, C, N);
}
