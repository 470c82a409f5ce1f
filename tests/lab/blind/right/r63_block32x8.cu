#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE_DIM   32
#define BLOCK_ROWS 8

// 32x8 threads work on a 32x32 tile of C, so 4 rows per thread
__global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k)
{
  __shared__ float As[TILE_DIM][TILE_DIM];
  __shared__ float Bs[TILE_DIM][TILE_DIM];

  int tx = threadIdx.x, ty = threadIdx.y;
  int col  = blockIdx.x * TILE_DIM + tx;
  int row0 = blockIdx.y * TILE_DIM + ty;

  float sum[TILE_DIM / BLOCK_ROWS] = {0};

  for (int t = 0; t < k; t += TILE_DIM) {
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
      As[ty + j][tx] = 0.0f;
      Bs[ty + j][tx] = 0.0f;
      if (row0 + j < m && t + tx < k)
        As[ty + j][tx] = A[(row0 + j) * k + t + tx];
      if (t + ty + j < k && col < n)
        Bs[ty + j][tx] = B[(t + ty + j) * n + col];
    }
    __syncthreads();
    for (int kk = 0; kk < TILE_DIM; kk++) {
      float b = Bs[kk][tx];
      for (int j = 0; j < TILE_DIM / BLOCK_ROWS; j++)
        sum[j] += As[ty + j * BLOCK_ROWS][kk] * b;
    }
    __syncthreads();
  }

  for (int j = 0; j < TILE_DIM / BLOCK_ROWS; j++) {
    int row = row0 + j * BLOCK_ROWS;
    if (row < m && col < n)
      C[row * n + col] = sum[j];
  }
}

int main(int argc, char **argv)
{
  int m = 100, n = 70, k = 45;
  if (argc == 4) { m = atoi(argv[1]); n = atoi(argv[2]); k = atoi(argv[3]); }

  float *A, *B, *C;
  cudaMallocManaged(&A, sizeof(float) * m * k);
  cudaMallocManaged(&B, sizeof(float) * k * n);
  cudaMallocManaged(&C, sizeof(float) * m * n);
  for (int i = 0; i < m * k; i++) A[i] = (float)(rand() % 10);
  for (int i = 0; i < k * n; i++) B[i] = (float)(rand() % 10);

  dim3 threads(TILE_DIM, BLOCK_ROWS, 1);
  dim3 blocks((n + TILE_DIM - 1) / TILE_DIM, (m + TILE_DIM - 1) / TILE_DIM, 1);
  matmul<<<blocks, threads>>>(A, B, C, m, n, k);
  cudaDeviceSynchronize();

  int bad = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float ref = 0;
      for (int q = 0; q < k; q++) ref += A[i * k + q] * B[q * n + j];
      if (fabsf(ref - C[i * n + j]) > 1e-3f) bad++;
    }
  printf(bad ? "FAILED\n" : "PASSED\n");
  cudaFree(A); cudaFree(B); cudaFree(C);
  return bad;
}
