#include <cuda_fp16.h>

#define BM 16
#define BN 32
#define BK 8

// half in, half out, float sums. 1-D block of BM*BN/2 threads,
// grid (ceil(N/BN), ceil(M/BM)); a thread makes two elements that stand below each other
__global__ void hgemm(const half *A, const half *B, half *C, int M, int N, int K)
{
  __shared__ half as[BM][BK];
  __shared__ half bs[BK][BM];

  const int nthreads = BM * BN / 2;
  int tid = threadIdx.x;
  int tc = tid % BN;
  int tr = 2 * (tid / BN);
  int gr = blockIdx.y * BM + tr;
  int gc = blockIdx.x * BN + tc;
  float up = 0.0f, down = 0.0f;

  for (int kb = 0; kb < K; kb += BK) {
    for (int l = tid; l < BM * BK; l += nthreads) {
      int r = blockIdx.y * BM + l / BK, c = kb + l % BK;
      as[l / BK][l % BK] = r < M && c < K ? A[r * K + c] : __float2half(0.0f);
    }
    for (int l = tid; l < BK * BN; l += nthreads) {
      int r = kb + l / BN, c = blockIdx.x * BN + l % BN;
      bs[l / BN][l % BN] = r < K && c < N ? B[r * N + c] : __float2half(0.0f);
    }
    __syncthreads();

    for (int q = 0; q < BK; q++) {
      float v = __half2float(bs[q][tc]);
      up   += __half2float(as[tr][q]) * v;
      down += __half2float(as[tr + 1][q]) * v;
    }
    __syncthreads();
  }

  if (gc < N) {
    if (gr < M)     C[gr * N + gc] = __float2half(up);
    if (gr + 1 < M) C[(gr + 1) * N + gc] = __float2half(down);
  }
}
