// y = A x, where the columns are cut into chunks and each block (bx, by) does
// 64 rows (bx) of one chunk (by). Chunks are combined with atomics.
#include <cuda_runtime.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kRows = 64;
constexpr int kChunk = 512;

__global__ void matvecChunks(const float* A, const float* x, float* y, int m, int n) {
  int row = blockIdx.x * kRows + threadIdx.x;
  if (row >= m) return;
  int begin = blockIdx.y * kChunk;
  int end = min(begin + kChunk, n);
  float sum = 0.f;
  for (int j = begin; j < end; ++j) sum += A[(size_t)row * n + j] * __ldg(&x[j]);
  atomicAdd(&y[row], sum);
}

void matvec(const float* dA, const float* dx, float* dy, int m, int n) {
  dim3 grid((m + kRows - 1) / kRows, (n + kChunk - 1) / kChunk);
  matvecChunks<<<grid, kRows>>>(dA, dx, dy, m, n);
  cudaDeviceSynchronize();
}

int main() {
  const int m = 1500, n = 2100;
  std::vector<float> A((size_t)m * n), x(n), y(m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) A[(size_t)i * n + j] = std::sin(0.01f * i + j);
  for (int j = 0; j < n; ++j) x[j] = std::cos(0.5f * j);

  float *dA, *dx, *dy;
  cudaMalloc(&dA, sizeof(float) * A.size());
  cudaMalloc(&dx, sizeof(float) * n);
  cudaMalloc(&dy, sizeof(float) * m);
  cudaMemcpy(dA, A.data(), sizeof(float) * A.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(dx, x.data(), sizeof(float) * n, cudaMemcpyHostToDevice);

  matvec(dA, dx, dy, m, n);  // warm up

  auto t0 = std::chrono::high_resolution_clock::now();
  matvec(dA, dx, dy, m, n);
  auto t1 = std::chrono::high_resolution_clock::now();
  std::printf("time: %.3f ms\n", std::chrono::duration<double, std::milli>(t1 - t0).count());

  cudaMemcpy(y.data(), dy, sizeof(float) * m, cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < m; ++i) {
    double r = 0;
    for (int j = 0; j < n; ++j) r += (double)A[(size_t)i * n + j] * x[j];
    worst = std::fmax(worst, std::fabs(r - y[i]));
  }
  std::printf("max error: %g\n", worst);
  cudaFree(dA);
  cudaFree(dx);
  cudaFree(dy);
}
