// gyoretsu no seki (half nyuryoku, float de ruiseki), double buffering
// C[m][n] = A[m][k] * B[k][n]
// kidou:
//   seki_half<<<dim3((n + 31) / 32, (m + 7) / 8), dim3(32, 8)>>>(A, B, C, m, n, k);
#include <cuda_fp16.h>

namespace {
constexpr int HABA = 32;    // C tairu no haba
constexpr int TAKASA = 8;   // C tairu no takasa
constexpr int FUKASA = 32;  // k houkou

__device__ void yomikomi(const __half *A, const __half *B,
                         __half (*sa)[FUKASA], __half (*sb)[HABA],
                         int m, int n, int k, int k0) {
  const __half zero = __float2half(0.0f);
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  // A: 8 x 32 -> hitori hitotsu
  const int gyo = blockIdx.y * TAKASA + y;
  sa[y][x] = (gyo < m && k0 + x < k) ? A[(size_t)gyo * k + k0 + x] : zero;
  // B: 32 x 32 -> hitori yottsu
  const int retsu = blockIdx.x * HABA + x;
  for (int i = y; i < FUKASA; i += TAKASA)
    sb[i][x] = (k0 + i < k && retsu < n) ? B[(size_t)(k0 + i) * n + retsu] : zero;
}
}  // namespace

__global__ void seki_half(const __half *A, const __half *B, __half *C,
                          int m, int n, int k) {
  __shared__ __half sa[2][TAKASA][FUKASA];
  __shared__ __half sb[2][FUKASA][HABA];

  const int gyo = blockIdx.y * TAKASA + threadIdx.y;
  const int retsu = blockIdx.x * HABA + threadIdx.x;
  float goukei = 0.0f;

  int ima = 0;
  yomikomi(A, B, sa[0], sb[0], m, n, k, 0);
  __syncthreads();

  for (int k0 = 0; k0 < k; k0 += FUKASA) {
    // tsugi no tairu wo saki ni yomu
    if (k0 + FUKASA < k)
      yomikomi(A, B, sa[ima ^ 1], sb[ima ^ 1], m, n, k, k0 + FUKASA);
    for (int i = 0; i < FUKASA; ++i)
      goukei += __half2float(sa[ima][threadIdx.y][i]) *
                __half2float(sb[ima][i][threadIdx.x]);
    __syncthreads();
    ima ^= 1;
  }

  if (gyo < m && retsu < n)
    C[(size_t)gyo * n + retsu] = __float2half(goukei);
}
