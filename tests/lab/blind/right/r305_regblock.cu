// Lab 6 (bonus): register-blocked SGEMM. 64x64 tile per block, 4x4 per thread.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 16;
constexpr int TM = 4;
constexpr int TN = 4;
constexpr int THREADS = (BM / TM) * (BN / TN);  // 256

#define CUDA_TRY(e)                                                           \
  if (cudaError_t s = (e); s != cudaSuccess) {                                \
    std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(s));   \
    std::exit(1);                                                             \
  }

__global__ void sgemm64(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  const int rowBase = blockIdx.y * BM;
  const int colBase = blockIdx.x * BN;

  float acc[TM][TN];
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) acc[i][j] = 0.0f;

  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int e = tid; e < BM * BK; e += THREADS) {
      const int r = e / BK, c = e % BK;
      As[r][c] = (rowBase + r < M && k0 + c < K) ? A[(rowBase + r) * K + k0 + c] : 0.0f;
    }
    for (int e = tid; e < BK * BN; e += THREADS) {
      const int r = e / BN, c = e % BN;
      Bs[r][c] = (k0 + r < K && colBase + c < N) ? B[(k0 + r) * N + colBase + c] : 0.0f;
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      for (int i = 0; i < TM; ++i) a[i] = As[threadIdx.y * TM + i][k];
      for (int j = 0; j < TN; ++j) b[j] = Bs[k][threadIdx.x * TN + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }

  for (int i = 0; i < TM; ++i) {
    const int r = rowBase + threadIdx.y * TM + i;
    for (int j = 0; j < TN; ++j) {
      const int c = colBase + threadIdx.x * TN + j;
      if (r < M && c < N) C[r * N + c] = acc[i][j];
    }
  }
}

int main() {
  const int M = 257, N = 190, K = 133;
  std::vector<float> A(M * K), B(K * N), C(M * N);
  for (size_t i = 0; i < A.size(); ++i) A[i] = std::sin(0.01f * i);
  for (size_t i = 0; i < B.size(); ++i) B[i] = std::cos(0.02f * i);

  float *dA, *dB, *dC;
  CUDA_TRY(cudaMalloc(&dA, A.size() * sizeof(float)));
  CUDA_TRY(cudaMalloc(&dB, B.size() * sizeof(float)));
  CUDA_TRY(cudaMalloc(&dC, C.size() * sizeof(float)));
  CUDA_TRY(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_TRY(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

  dim3 threads(BN / TN, BM / TM);
  dim3 blocks((N + BN - 1) / BN, (M + BM - 1) / BM);
  sgemm64<<<blocks, threads>>>(dA, dB, dC, M, N, K);
  CUDA_TRY(cudaGetLastError());
  CUDA_TRY(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

  double worst = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double s = 0;
      for (int k = 0; k < K; ++k) s += double(A[i * K + k]) * B[k * N + j];
      worst = std::fmax(worst, std::fabs(s - C[i * N + j]));
    }
  std::printf("max abs error %.3g: %s\n", worst, worst < 1e-3 ? "ok" : "WRONG");
  CUDA_TRY(cudaFree(dA));
  CUDA_TRY(cudaFree(dB));
  CUDA_TRY(cudaFree(dC));
}
