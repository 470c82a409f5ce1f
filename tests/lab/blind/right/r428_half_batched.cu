#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdio.h>

// batched GEMM, fp16 in / fp16 out, sums in fp32
// batch b: C_b = A_b * B_b, the matrices of a batch lie strideX elements apart
// one z-slice of the grid per batch entry (batch <= 65535)

#define TS 16
#define CDIV(a, b) (((a) + (b) - 1) / (b))

__global__ void hgemm_batched(const __half* A, long long strideA,
                              const __half* B, long long strideB,
                              __half* C, long long strideC,
                              int M, int N, int K)
{
  __shared__ __half sa[TS][TS], sb[TS][TS];

  A += blockIdx.z * strideA;
  B += blockIdx.z * strideB;
  C += blockIdx.z * strideC;

  const int r = blockIdx.y * TS + threadIdx.y;
  const int c = blockIdx.x * TS + threadIdx.x;
  const __half zero = __float2half(0.0f);
  float acc = 0.0f;

  for (int t = 0; t < CDIV(K, TS); t++) {
    int ka = t * TS + threadIdx.x, kb = t * TS + threadIdx.y;
    sa[threadIdx.y][threadIdx.x] = zero;
    sb[threadIdx.y][threadIdx.x] = zero;
    if (r < M && ka < K) sa[threadIdx.y][threadIdx.x] = A[(long long)r * K + ka];
    if (kb < K && c < N) sb[threadIdx.y][threadIdx.x] = B[(long long)kb * N + c];
    __syncthreads();
    for (int k = 0; k < TS; k++)
      acc += __half2float(sa[threadIdx.y][k]) * __half2float(sb[k][threadIdx.x]);
    __syncthreads();
  }

  if (r < M && c < N) C[(long long)r * N + c] = __float2half(acc);
}

int hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, int batch)
{
  if (M <= 0 || N <= 0 || K <= 0 || batch <= 0 || batch > 65535) return -1;
  if (CDIV(M, TS) > 65535) return -1;
  dim3 grid(CDIV(N, TS), CDIV(M, TS), batch), block(TS, TS);
  hgemm_batched<<<grid, block>>>(A, (long long)M * K, B, (long long)K * N,
                                 C, (long long)M * N, M, N, K);
  cudaError_t e = cudaGetLastError();
  if (e != cudaSuccess) {
    fprintf(stderr, "hgemm: %s\n", cudaGetErrorString(e));
    return -2;
  }
  return 0;
}
