#include <stdio.h>
#include <stdlib.h>
#define W 16
#define HW (W / 2)

// The block forms a W x W piece of the full product, then adds up its 2x2 squares.
__global__ void reduced(const int* A, const int* B, int* C, int m, int n, int k) {
  __shared__ int x[W][W];
  __shared__ int y[W][W];
  int u = threadIdx.y, v = threadIdx.x;
  int R = blockIdx.y * W + u;
  int S = blockIdx.x * W + v;
  int full = 0;
  for (int t = 0; t < (k + W - 1) / W; t++) {
    x[u][v] = R < 2 * m && t * W + v < k ? A[R * k + t * W + v] : 0;
    y[u][v] = S < 2 * n && t * W + u < k ? B[(t * W + u) * 2 * n + S] : 0;
    __syncthreads();
    for (int q = 0; q < W; q++) full += x[u][q] * y[q][v];
    __syncthreads();
  }
  x[u][v] = full;   // tile no longer needed
  __syncthreads();
  if (u < HW && v < HW) {
    int i = blockIdx.y * HW + u;
    int j = blockIdx.x * HW + v;
    if (i < m && j < n)
      C[i * n + j] = x[2 * u][2 * v] + x[2 * u][2 * v + 1] + x[2 * u + 1][2 * v] + x[2 * u + 1][2 * v + 1];
  }
}

int main() {
  const int m = 21, n = 30, k = 37;
  int *hA = (int*)malloc(2 * m * k * sizeof(int)), *hB = (int*)malloc(2 * n * k * sizeof(int));
  int *hC = (int*)malloc(m * n * sizeof(int));
  for (int i = 0; i < 2 * m * k; i++) hA[i] = rand() % 10;
  for (int i = 0; i < 2 * n * k; i++) hB[i] = rand() % 10 - 5;
  int *A, *B, *C;
  cudaMalloc(&A, 2 * m * k * sizeof(int));
  cudaMalloc(&B, 2 * n * k * sizeof(int));
  cudaMalloc(&C, m * n * sizeof(int));
  cudaMemcpy(A, hA, 2 * m * k * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(B, hB, 2 * n * k * sizeof(int), cudaMemcpyHostToDevice);
  dim3 g((n + HW - 1) / HW, (m + HW - 1) / HW);
  reduced<<<g, dim3(W, W)>>>(A, B, C, m, n, k);
  cudaMemcpy(hC, C, m * n * sizeof(int), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int s = 0;
      for (int q = 0; q < k; q++)
        s += (hA[2 * i * k + q] + hA[(2 * i + 1) * k + q]) * (hB[q * 2 * n + 2 * j] + hB[q * 2 * n + 2 * j + 1]);
      bad += s != hC[i * n + j];
    }
  printf("%d errors\n", bad);
  cudaFree(A); cudaFree(B); cudaFree(C);
  free(hA); free(hB); free(hC);
  return bad != 0;
}
