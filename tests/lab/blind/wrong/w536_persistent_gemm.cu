// "Persistent" GEMM: as many blocks as the GPU has SMs, every block walks over the tiles of C.
// Usage: ./persistent [M N K]
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {
constexpr int kT = 32;       // tile edge
constexpr int kRows = 4;     // results per thread
constexpr int kBy = kT / kRows;
}  // namespace

__global__ void persistentGemm(const float* __restrict__ A, const float* __restrict__ B,
                               float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[kT][kT];
  __shared__ float Bs[kT][kT];

  const int tilesM = (M + kT - 1) / kT;
  const int tilesN = (N + kT - 1) / kT;
  const int tx = threadIdx.x, ty = threadIdx.y;
  float acc[kRows] = {0.f, 0.f, 0.f, 0.f};

  for (int tile = blockIdx.x; tile < tilesM * tilesN; tile += gridDim.x) {
    const int row0 = (tile / tilesN) * kT;
    const int col = (tile % tilesN) * kT + tx;

    for (int k0 = 0; k0 < K; k0 += kT) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const int y = ty + r * kBy;
        As[y][tx] = (row0 + y < M && k0 + tx < K) ? A[(row0 + y) * K + k0 + tx] : 0.f;
        Bs[y][tx] = (k0 + y < K && col < N) ? B[(k0 + y) * N + col] : 0.f;
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kT; ++k)
#pragma unroll
        for (int r = 0; r < kRows; ++r) acc[r] += As[ty + r * kBy][k] * Bs[k][tx];
      __syncthreads();
    }

#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const int row = row0 + ty + r * kBy;
      if (row < M && col < N) C[row * N + col] = acc[r];
    }
  }
}

int main(int argc, char** argv) {
  int M = 250, N = 250, K = 250;
  if (argc > 3) M = atoi(argv[1]), N = atoi(argv[2]), K = atoi(argv[3]);
  if (M < 1 || N < 1 || K < 1) return 1;

  std::vector<float> a(M * K), b(K * N), c(M * N);
  for (float& v : a) v = (rand() % 21 - 10) * 0.1f;
  for (float& v : b) v = (rand() % 21 - 10) * 0.1f;

  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  const int tiles = ((M + kT - 1) / kT) * ((N + kT - 1) / kT);
  const int blocks = std::min(tiles, prop.multiProcessorCount);

  float *da, *db, *dc;
  cudaMalloc(&da, a.size() * sizeof(float));
  cudaMalloc(&db, b.size() * sizeof(float));
  cudaMalloc(&dc, c.size() * sizeof(float));
  cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
  persistentGemm<<<blocks, dim3(kT, kBy)>>>(da, db, dc, M, N, K);
  cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

  float worst = 0.f;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float ref = 0.f;
      for (int k = 0; k < K; ++k) ref += a[i * K + k] * b[k * N + j];
      worst = std::max(worst, std::fabs(ref - c[i * N + j]));
    }
  printf("%d blocks, %d tiles, max error %g\n", blocks, tiles, worst);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return worst < 1e-2f ? 0 : 1;
}
