#define TILE 16

// P (M x N) = A (M x K) * B (K x N), all row-major
__global__ void MatMulTiled(float* A, float* B, float* P, int M, int K, int N)
{
  __shared__ float ds_A[TILE][TILE];
  __shared__ float ds_B[TILE][TILE];

  int bx = blockIdx.x;  int by = blockIdx.y;
  int tx = threadIdx.x; int ty = threadIdx.y;

  int Row = by * TILE + ty;
  int Col = bx * TILE + tx;
  float Pvalue = 0;

  for (int p = 0; p < (K - 1) / TILE + 1; ++p) {
    if (Row < M && p * TILE + tx < K)
      ds_A[ty][tx] = A[Row * N + p * TILE + tx];
    else
      ds_A[ty][tx] = 0.0;

    if (p * TILE + ty < K && Col < N)
      ds_B[ty][tx] = B[(p * TILE + ty) * N + Col];
    else
      ds_B[ty][tx] = 0.0;
    __syncthreads();

    for (int i = 0; i < TILE; ++i)
      Pvalue += ds_A[ty][i] * ds_B[i][tx];
    __syncthreads();
  }

  if (Row < M && Col < N)
    P[Row * N + Col] = Pvalue;
}
