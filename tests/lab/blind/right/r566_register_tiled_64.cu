// sgemm, row major, C[M][N] = A[M][K] * B[K][N], any sizes
// launch: sgemm64<<<dim3((N+63)/64, (M+63)/64), 256>>>(M, N, K, A, B, C)
#include <cuda_runtime.h>

constexpr int BM = 64, BN = 64, BK = 8;
constexpr int TM = 4, TN = 4;                       // outputs per thread
constexpr int NTHREADS = (BM / TM) * (BN / TN);     // 256

__global__ void __launch_bounds__(NTHREADS)
sgemm64(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B,
        float *__restrict__ C)
{
  __shared__ float As[BK][BM];   // stored transposed
  __shared__ float Bs[BK][BN];

  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * BM;
  const int col0 = blockIdx.x * BN;
  const int tr = (tid / (BN / TN)) * TM;
  const int tc = (tid % (BN / TN)) * TN;

  float acc[TM][TN] = {};
  float ra[TM], rb[TN];

  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int e = tid; e < BM * BK; e += NTHREADS) {
      int r = e / BK, c = e % BK;
      As[c][r] = (row0 + r < M && k0 + c < K) ? A[(size_t)(row0 + r) * K + k0 + c] : 0.f;
    }
    for (int e = tid; e < BK * BN; e += NTHREADS) {
      int r = e / BN, c = e % BN;
      Bs[r][c] = (k0 + r < K && col0 + c < N) ? B[(size_t)(k0 + r) * N + col0 + c] : 0.f;
    }
    __syncthreads();

#pragma unroll
    for (int q = 0; q < BK; ++q) {
#pragma unroll
      for (int i = 0; i < TM; ++i) ra[i] = As[q][tr + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) rb[j] = Bs[q][tc + j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }

  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j)
      if (row0 + tr + i < M && col0 + tc + j < N)
        C[(size_t)(row0 + tr + i) * N + col0 + tc + j] = acc[i][j];
}
