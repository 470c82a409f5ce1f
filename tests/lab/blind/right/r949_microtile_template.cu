// SGEMM-like product with a TM x TN register patch per thread.
// Any M, N, K. A thread's rows/columns are interleaved over the block tile.
#include <cuda_runtime.h>

template <int BM, int BN, int BK, int TM, int TN>
__global__ void gemm_patch(const float* __restrict__ A, const float* __restrict__ B,
                           float* __restrict__ C, int M, int N, int K)
{
    constexpr int DX = BN / TN, DY = BM / TM, NT = DX * DY;
    __shared__ float As[BK][BM + 1];     // kept transposed
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tx = tid % DX, ty = tid / DX;
    const int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN;
    float r[TM][TN] = {};

    for (int kk = 0; kk < K; kk += BK) {
        for (int e = tid; e < BM * BK; e += NT) {
            int i = e / BK, k = e % BK;
            As[k][i] = (m0 + i < M && kk + k < K) ? A[(size_t)(m0 + i) * K + kk + k] : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += NT) {
            int k = e / BN, j = e % BN;
            Bs[k][j] = (kk + k < K && n0 + j < N) ? B[(size_t)(kk + k) * N + n0 + j] : 0.0f;
        }
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            float av[TM], bv[TN];
            for (int u = 0; u < TM; ++u) av[u] = As[k][ty + u * DY];
            for (int v = 0; v < TN; ++v) bv[v] = Bs[k][tx + v * DX];
            for (int u = 0; u < TM; ++u)
                for (int v = 0; v < TN; ++v) r[u][v] += av[u] * bv[v];
        }
        __syncthreads();
    }

    for (int u = 0; u < TM; ++u)
        for (int v = 0; v < TN; ++v) {
            int i = m0 + ty + u * DY, j = n0 + tx + v * DX;
            if (i < M && j < N) C[(size_t)i * N + j] = r[u][v];
        }
}

void gemm(const float* A, const float* B, float* C, int M, int N, int K)
{
    constexpr int BM = 64, BN = 32, BK = 8, TM = 4, TN = 4;
    dim3 grid((M + BM - 1) / BM, (N + BN - 1) / BN);
    gemm_patch<BM, BN, BK, TM, TN><<<grid, (BM / TM) * (BN / TN)>>>(A, B, C, M, N, K);
}
