// CS 426 homework 2, tiled matrix multiplication for arbitrary sizes
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TILE_W 32
#define TILE_H 16     // block is 32 x 16, k tile is 16

__global__ void MatMulKernel(float *A, float *B, float *C, int M, int K, int N) {
  __shared__ float ds_A[TILE_H][TILE_H];
  __shared__ float ds_B[TILE_H][TILE_W];

  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int Row = blockIdx.y * TILE_H + ty;
  int Col = blockIdx.x * TILE_W + tx;
  float Pvalue = 0;

  for (int p = 0; p < (K - 1) / TILE_H + 1; ++p) {
    // only the first 16 columns of threads are needed for the A tile
    if (tx < TILE_H) {
      if (Row < M && p * TILE_H + tx < K)
        ds_A[ty][tx] = A[Row * K + p * TILE_H + tx];
      else
        ds_A[ty][tx] = 0.0;
    }
    if (p * TILE_H + ty < K && Col < N)
      ds_B[ty][tx] = B[(p * TILE_H + ty) * N + Col];
    else
      ds_B[ty][tx] = 0.0;
    __syncthreads();

    // threads outside of C have nothing to compute
    if (Row < M && Col < N) {
      for (int i = 0; i < TILE_H; ++i)
        Pvalue += ds_A[ty][i] * ds_B[i][tx];
      __syncthreads();
    }
  }
  if (Row < M && Col < N)
    C[Row * N + Col] = Pvalue;
}

int main() {
  int M = 100, K = 300, N = 90;
  float *hA = (float *)malloc(M * K * sizeof(float));
  float *hB = (float *)malloc(K * N * sizeof(float));
  float *hC = (float *)malloc(M * N * sizeof(float));
  for (int i = 0; i < M * K; i++) hA[i] = rand() % 10;
  for (int i = 0; i < K * N; i++) hB[i] = rand() % 10;

  float *dA, *dB, *dC;
  cudaMalloc(&dA, M * K * sizeof(float));
  cudaMalloc(&dB, K * N * sizeof(float));
  cudaMalloc(&dC, M * N * sizeof(float));
  cudaMemcpy(dA, hA, M * K * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dB, hB, K * N * sizeof(float), cudaMemcpyHostToDevice);

  dim3 dimBlock(TILE_W, TILE_H);
  dim3 dimGrid((N - 1) / TILE_W + 1, (M - 1) / TILE_H + 1);
  MatMulKernel<<<dimGrid, dimBlock>>>(dA, dB, dC, M, K, N);
  cudaMemcpy(hC, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

  int errors = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float s = 0;
      for (int k = 0; k < K; k++) s += hA[i * K + k] * hB[k * N + j];
      if (fabs(s - hC[i * N + j]) > 0.5) errors++;
    }
  printf("%d errors\n", errors);
  cudaFree(dA); cudaFree(dB); cudaFree(dC);
  free(hA); free(hB); free(hC);
  return 0;
}
