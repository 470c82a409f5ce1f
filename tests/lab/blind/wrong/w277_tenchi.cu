// C = A * B^T   (B wa n x k, tenchi shite tsukau)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define KAKUNIN(shiki)                                                  \
  do {                                                                  \
    cudaError_t kekka = (shiki);                                        \
    if (kekka != cudaSuccess) {                                         \
      std::fprintf(stderr, "shippai: %s\n", cudaGetErrorString(kekka)); \
      std::exit(1);                                                     \
    }                                                                   \
  } while (0)

constexpr int TAIRU = 16;

__global__ void kakeruTenchi(const float* A, const float* B, float* C,
                             int m, int n, int k) {
  __shared__ float ta[TAIRU][TAIRU + 1];
  __shared__ float tb[TAIRU][TAIRU + 1];
  const int gyo = blockIdx.y * TAIRU + threadIdx.y;
  const int retsu = blockIdx.x * TAIRU + threadIdx.x;
  const int bGyo = blockIdx.x * TAIRU + threadIdx.y;

  float wa = 0.0f;
  for (int k0 = 0; k0 < k; k0 += TAIRU) {
    const int kk = k0 + threadIdx.x;
    ta[threadIdx.y][threadIdx.x] = (gyo < m && kk < k) ? A[gyo * k + kk] : 0.0f;
    tb[threadIdx.y][threadIdx.x] = (bGyo < n && kk < k) ? B[bGyo * k + kk] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TAIRU; ++i) wa += ta[threadIdx.y][i] * tb[threadIdx.x][i];
    __syncthreads();
  }
  if (gyo < m && retsu < n) C[gyo * n + retsu] = wa;
}

int main() {
  const int m = 100, n = 230, k = 66;
  const size_t byteA = sizeof(float) * m * k;
  const size_t byteB = sizeof(float) * n * k;
  const size_t byteC = sizeof(float) * m * n;
  float* hA = (float*)std::malloc(byteA);
  float* hB = (float*)std::malloc(byteB);
  float* hC = (float*)std::malloc(byteC);
  for (int i = 0; i < m * k; ++i) hA[i] = 1.0f + (i % 8);
  for (int i = 0; i < n * k; ++i) hB[i] = 1.0f + (i % 5);

  float *dA, *dB, *dC;
  KAKUNIN(cudaMalloc(&dA, byteA));
  KAKUNIN(cudaMalloc(&dB, byteB));
  KAKUNIN(cudaMalloc(&dC, byteC));
  KAKUNIN(cudaMemcpy(dA, hA, byteA, cudaMemcpyHostToDevice));
  KAKUNIN(cudaMemcpy(dB, hB, byteA, cudaMemcpyHostToDevice));

  dim3 burokku(TAIRU, TAIRU);
  dim3 guriddo((n + TAIRU - 1) / TAIRU, (m + TAIRU - 1) / TAIRU);
  kakeruTenchi<<<guriddo, burokku>>>(dA, dB, dC, m, n, k);
  KAKUNIN(cudaGetLastError());
  KAKUNIN(cudaMemcpy(hC, dC, byteC, cudaMemcpyDeviceToHost));

  int machigai = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float s = 0.0f;
      for (int q = 0; q < k; ++q) s += hA[i * k + q] * hB[j * k + q];
      if (std::fabs(s - hC[i * n + j]) > 1e-2f) ++machigai;
    }
  std::printf("machigai: %d\n", machigai);
  cudaFree(dA); cudaFree(dB); cudaFree(dC);
  std::free(hA); std::free(hB); std::free(hC);
  return machigai != 0;
}
