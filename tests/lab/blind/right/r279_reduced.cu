// Reduced matrix product.
// R[i][j] = sum of the 2x2 cell (2i..2i+1, 2j..2j+1) of P = A*B,
// without ever forming P:  the two rows of A are added, the two columns of B
// are added, and one ordinary product of the sums gives R.
// Odd M or N: the missing row / column counts as zero.
//
// A is M x K, B is K x N, R is ((M+1)/2) x ((N+1)/2).
//
// launch:  H = (M+1)/2, W = (N+1)/2
//   reducedProduct<<<dim3((W+15)/16, (H+15)/16), dim3(16,16)>>>(A, B, R, M, N, K);

typedef long long i64;
#define TS 16

__global__ void reducedProduct(const int *A, const int *B, i64 *R, int M, int N, int K) {
  __shared__ i64 rowSum[TS][TS];
  __shared__ i64 colSum[TS][TS];

  const int H = (M + 1) / 2;
  const int W = (N + 1) / 2;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = blockIdx.y * TS + ty;
  const int j = blockIdx.x * TS + tx;

  i64 acc = 0;
  for (int base = 0; base < K; base += TS) {
    i64 ra = 0, cb = 0;
    if (base + tx < K) {
      if (2 * i < M)     ra += A[(2 * i) * K + base + tx];
      if (2 * i + 1 < M) ra += A[(2 * i + 1) * K + base + tx];
    }
    if (base + ty < K) {
      if (2 * j < N)     cb += B[(base + ty) * N + 2 * j];
      if (2 * j + 1 < N) cb += B[(base + ty) * N + 2 * j + 1];
    }
    rowSum[ty][tx] = ra;
    colSum[ty][tx] = cb;
    __syncthreads();
    for (int k = 0; k < TS; ++k) acc += rowSum[ty][k] * colSum[k][tx];
    __syncthreads();
  }
  if (i < H && j < W) R[i * W + j] = acc;
}
