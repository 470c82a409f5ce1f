// Tiled product whose tile width is chosen at run time (shared memory is dynamic).
// Works for any m, k, n >= 1 (m up to 65535 tiles) and any tile width from 1 to 32.
#include <cuda_runtime.h>
#include <cmath>
#include <iostream>
#include <vector>

extern __shared__ float pool[];

__global__ void mm_dyn(const float* __restrict__ A, const float* __restrict__ B,
                       float* __restrict__ C, int m, int k, int n, int w) {
  float* sa = pool;          // w x w
  float* sb = pool + w * w;  // w x w
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * w + ty;
  const int col = blockIdx.x * w + tx;
  float acc = 0.f;

  for (int base = 0; base < k; base += w) {
    sa[ty * w + tx] = (row < m && base + tx < k) ? A[(size_t)row * k + base + tx] : 0.f;
    sb[ty * w + tx] = (base + ty < k && col < n) ? B[(size_t)(base + ty) * n + col] : 0.f;
    __syncthreads();
    const int lim = min(w, k - base);
    for (int q = 0; q < lim; ++q) acc += sa[ty * w + q] * sb[q * w + tx];
    __syncthreads();
  }
  if (row >= m || col >= n) return;
  C[(size_t)row * n + col] = acc;
}

static float run_once(int m, int k, int n, int w) {
  std::vector<float> A(m * k), B(k * n), C(m * n);
  for (int i = 0; i < m * k; ++i) A[i] = float((i * 7) % 13) - 6.f;
  for (int i = 0; i < k * n; ++i) B[i] = float((i * 5) % 11) - 5.f;
  float *dA, *dB, *dC;
  cudaMalloc(&dA, A.size() * sizeof(float));
  cudaMalloc(&dB, B.size() * sizeof(float));
  cudaMalloc(&dC, C.size() * sizeof(float));
  cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

  dim3 block(w, w), grid((n - 1) / w + 1, (m - 1) / w + 1);
  mm_dyn<<<grid, block, 2 * w * w * sizeof(float)>>>(dA, dB, dC, m, k, n, w);
  cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(dA); cudaFree(dB); cudaFree(dC);

  float worst = 0.f;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double ref = 0;
      for (int p = 0; p < k; ++p) ref += double(A[i * k + p]) * B[p * n + j];
      worst = std::fmax(worst, std::fabs(float(ref) - C[i * n + j]));
    }
  return worst;
}

int main() {
  const int widths[] = {4, 8, 11, 16, 32};
  for (int w : widths) {
    std::cout << "w=" << w << "  " << run_once(64, 64, 64, w) << "  "
              << run_once(45, 101, 67, w) << "  " << run_once(1, 5, 200, w) << "\n";
  }
}
