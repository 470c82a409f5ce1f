// Lab 2: C = alpha * A * B + beta * C, row major, one thread computes two rows
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    exit(code);
  }
}

#define BLOCK_X 32
#define BLOCK_Y 8
#define ROWS_PER_THREAD 2

__global__ void sgemm_kernel(int M, int N, int K, float alpha, const float *A,
                             const float *B, float beta, float *C) {
  int col  = blockIdx.x * BLOCK_X + threadIdx.x;
  int row0 = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS_PER_THREAD;
  if (col >= N) return;

  for (int r = row0; r < row0 + ROWS_PER_THREAD && r < M; r++) {
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
      sum += A[r * K + k] * B[k * N + col];
    C[r * N + col] = alpha * sum + beta * C[r * N + col];
  }
}

void sgemm(int M, int N, int K, float alpha, const float *dA, const float *dB,
           float beta, float *dC) {
  int rowsPerBlock = BLOCK_Y * ROWS_PER_THREAD;
  dim3 threads(BLOCK_X, BLOCK_Y);
  dim3 blocks((M + BLOCK_X - 1) / BLOCK_X, (N + rowsPerBlock - 1) / rowsPerBlock);
  sgemm_kernel<<<blocks, threads>>>(M, N, K, alpha, dA, dB, beta, dC);
  gpuErrchk(cudaPeekAtLastError());
  gpuErrchk(cudaDeviceSynchronize());
}

int main() {
  const int M = 64, N = 200, K = 90;
  float *A, *B, *C, *ref;
  gpuErrchk(cudaMallocManaged(&A, sizeof(float) * M * K));
  gpuErrchk(cudaMallocManaged(&B, sizeof(float) * K * N));
  gpuErrchk(cudaMallocManaged(&C, sizeof(float) * M * N));
  ref = (float *)malloc(sizeof(float) * M * N);

  for (int i = 0; i < M * K; i++) A[i] = (i % 10) * 0.1f;
  for (int i = 0; i < K * N; i++) B[i] = (i % 12) * 0.1f;
  for (int i = 0; i < M * N; i++) C[i] = 1.0f;

  const float alpha = 0.5f, beta = 2.0f;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float s = 0.0f;
      for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
      ref[i * N + j] = alpha * s + beta * C[i * N + j];
    }

  sgemm(M, N, K, alpha, A, B, beta, C);

  int errors = 0;
  for (int i = 0; i < M * N; i++)
    if (fabsf(ref[i] - C[i]) > 1e-3f) errors++;
  printf("%s, %d errors\n", errors ? "FAIL" : "PASS", errors);

  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
  free(ref);
  return errors != 0;
}
