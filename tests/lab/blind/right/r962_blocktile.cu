#include <cuda_runtime.h>

// 1-D thread block, every thread owns a TM x 1 column strip of the output tile.
template <int BM, int BN, int BK, int TM>
__global__ void gemm_strip(int M, int N, int K,
                           const float* __restrict__ A,
                           const float* __restrict__ B,
                           float* __restrict__ C)
{
  constexpr int THREADS = BM * BN / TM;
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int tid = threadIdx.x;
  const int col = tid % BN;
  const int row0 = (tid / BN) * TM;
  const int baseRow = blockIdx.y * BM;
  const int baseCol = blockIdx.x * BN;

  float acc[TM];
#pragma unroll
  for (int i = 0; i < TM; ++i) acc[i] = 0.f;

  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int e = tid; e < BM * BK; e += THREADS) {
      const int r = e / BK, k = e % BK;
      As[r][k] = (baseRow + r < M && k0 + k < K) ? A[(baseRow + r) * K + k0 + k] : 0.f;
    }
    for (int e = tid; e < BK * BN; e += THREADS) {
      const int k = e / BN, c = e % BN;
      Bs[k][c] = (k0 + k < K && baseCol + c < N) ? B[(k0 + k) * N + baseCol + c] : 0.f;
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      const float b = Bs[k][col];
#pragma unroll
      for (int i = 0; i < TM; ++i) acc[i] += As[row0 + i][k] * b;
    }
    __syncthreads();
  }

  if (baseCol + col < N)
    for (int i = 0; i < TM && baseRow + row0 + i < M; ++i)
      C[(baseRow + row0 + i) * N + baseCol + col] = acc[i];
}

void gemm(const float* dA, const float* dB, float* dC, int M, int N, int K)
{
  constexpr int BM = 32, BN = 64, BK = 8, TM = 8;
  dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
  gemm_strip<BM, BN, BK, TM><<<grid, BM * BN / TM>>>(M, N, K, dA, dB, dC);
}
