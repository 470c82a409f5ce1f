// sgemm_regblock.cu
//
// Register-blocked SGEMM, C[M,N] = A[M,K] * B[K,N], row-major, no transposes.
// Arbitrary M, N, K >= 1 (edges are zero padded when staged to smem); each matrix
// is indexed in 64 bits. ceil(M/BM) has to fit gridDim.y.

#include <cuda_runtime.h>
#include <cstddef>

template <int BM, int BN, int BK, int TM, int TN>
struct SgemmKernelTraits {
    static constexpr int kThreadsX = BN / TN;
    static constexpr int kThreadsY = BM / TM;
    static constexpr int kThreads  = kThreadsX * kThreadsY;
    static_assert(BM % TM == 0 && BN % TN == 0, "thread tile must divide block tile");
};

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(SgemmKernelTraits<BM, BN, BK, TM, TN>::kThreads)
sgemm_kernel(int M, int N, int K,
             const float* __restrict__ A,
             const float* __restrict__ B,
             float* __restrict__ C)
{
    using Traits = SgemmKernelTraits<BM, BN, BK, TM, TN>;

    __shared__ float sA[BK][BM + 1];   // stored transposed
    __shared__ float sB[BK][BN];

    const int tid = threadIdx.x;
    const int tx  = tid % Traits::kThreadsX;
    const int ty  = tid / Traits::kThreadsX;
    const int m0  = blockIdx.y * BM;
    const int n0  = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += Traits::kThreads) {
            const int r = e / BK, c = e % BK;
            const int gr = m0 + r, gc = k0 + c;
            sA[c][r] = (gr < M && gc < K) ? A[(size_t)gr * K + gc] : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += Traits::kThreads) {
            const int r = e / BN, c = e % BN;
            const int gr = k0 + r, gc = n0 + c;
            sB[r][c] = (gr < K && gc < N) ? B[(size_t)gr * N + gc] : 0.0f;
        }
        __syncthreads();

#pragma unroll
        for (int kk = 0; kk < BK; ++kk) {
            float a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = sA[kk][ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = sB[kk][tx + j * Traits::kThreadsX];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const int r = m0 + ty * TM + i;
        if (r >= M) break;
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int c = n0 + tx + j * Traits::kThreadsX;
            if (c < N) C[(size_t)r * N + c] = acc[i][j];
        }
    }
}

void sgemm(int M, int N, int K, const float* dA, const float* dB, float* dC, cudaStream_t stream)
{
    constexpr int BM = 64, BN = 64, BK = 16, TM = 4, TN = 4;
    using Traits = SgemmKernelTraits<BM, BN, BK, TM, TN>;
    const dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    sgemm_kernel<BM, BN, BK, TM, TN><<<grid, Traits::kThreads, 0, stream>>>(M, N, K, dA, dB, dC);
}
