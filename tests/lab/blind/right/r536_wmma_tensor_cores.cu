// Bonus exercise: tensor cores through nvcuda::wmma
// half inputs, float accumulation, 4 warps per block (2 x 2), 16x16 of C per warp.
// M, N, K must be multiples of 16 (checked in main).
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace nvcuda;

static constexpr int W_DIM = 16;
static constexpr int WARPS_M = 2;
static constexpr int WARPS_N = 2;

__global__ void wmma_gemm(const half* A, const half* B, float* C, int M, int N, int K) {
  const int warp = threadIdx.x / 32;
  const int row = (blockIdx.y * WARPS_M + warp / WARPS_N) * W_DIM;
  const int col = (blockIdx.x * WARPS_N + warp % WARPS_N) * W_DIM;
  if (row >= M || col >= N) return;  // whole warp leaves, there are no block barriers

  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);

  for (int k = 0; k < K; k += W_DIM) {
    wmma::load_matrix_sync(fa, A + (size_t)row * K + k, K);
    wmma::load_matrix_sync(fb, B + (size_t)k * N + col, N);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(C + (size_t)row * N + col, acc, N, wmma::mem_row_major);
}

int main(int argc, char** argv) {
  int M = 208, N = 144, K = 320;
  if (argc == 4) {
    M = std::atoi(argv[1]);
    N = std::atoi(argv[2]);
    K = std::atoi(argv[3]);
  }
  if (M <= 0 || N <= 0 || K <= 0 || M % 16 || N % 16 || K % 16 ||
      M > 16384 || N > 16384 || K > 16384) {
    std::fprintf(stderr, "sizes have to be positive multiples of 16, at most 16384\n");
    return EXIT_FAILURE;
  }

  std::vector<half> a(M * K), b(K * N);
  std::vector<float> c(M * N);
  for (auto& v : a) v = __float2half((std::rand() % 17 - 8) / 8.0f);
  for (auto& v : b) v = __float2half((std::rand() % 17 - 8) / 8.0f);

  half *da, *db;
  float* dc;
  cudaMalloc(&da, sizeof(half) * a.size());
  cudaMalloc(&db, sizeof(half) * b.size());
  cudaMalloc(&dc, sizeof(float) * c.size());
  cudaMemcpy(da, a.data(), sizeof(half) * a.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), sizeof(half) * b.size(), cudaMemcpyHostToDevice);

  const int tileM = WARPS_M * W_DIM, tileN = WARPS_N * W_DIM;
  dim3 grid((N + tileN - 1) / tileN, (M + tileM - 1) / tileM);
  wmma_gemm<<<grid, 32 * WARPS_M * WARPS_N>>>(da, db, dc, M, N, K);
  if (cudaDeviceSynchronize() != cudaSuccess) {
    std::fprintf(stderr, "kernel failed\n");
    return EXIT_FAILURE;
  }
  cudaMemcpy(c.data(), dc, sizeof(float) * c.size(), cudaMemcpyDeviceToHost);

  double worst = 0.0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double ref = 0.0;
      for (int k = 0; k < K; ++k)
        ref += (double)__half2float(a[i * K + k]) * (double)__half2float(b[k * N + j]);
      worst = std::fmax(worst, std::fabs(ref - c[i * N + j]));
    }
  std::printf("max abs error %.3e  %s\n", worst, worst < 1e-2 ? "PASS" : "FAIL");

  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return EXIT_SUCCESS;
}
