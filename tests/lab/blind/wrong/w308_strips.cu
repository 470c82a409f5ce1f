// HW4: every block walks down a column of output tiles (several rows of C per thread)
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static const int TILE = 16;
static const int STRIPS = 4;  // output tiles per block, one below the other

#define CUDA_OK(x)                                                            \
  do {                                                                        \
    cudaError_t rc = (x);                                                     \
    if (rc != cudaSuccess) {                                                  \
      std::fprintf(stderr, "%s at line %d\n", cudaGetErrorString(rc), __LINE__); \
      std::exit(1);                                                           \
    }                                                                         \
  } while (0)

__global__ void matmulStrips(const float* __restrict__ A, const float* __restrict__ B,
                             float* __restrict__ C, int M, int K, int N) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;
  float sum = 0.0f;

  for (int s = 0; s < STRIPS; ++s) {
    const int row = (blockIdx.y * STRIPS + s) * TILE + ty;

    for (int k0 = 0; k0 < K; k0 += TILE) {
      As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
      Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
      __syncthreads();
      for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
      __syncthreads();
    }

    if (row < M && col < N) C[row * N + col] = sum;
  }
}

int main() {
  const int M = 190, K = 88, N = 140;
  std::vector<float> A(M * K), B(K * N), C(M * N);
  for (float& v : A) v = std::rand() / float(RAND_MAX);
  for (float& v : B) v = std::rand() / float(RAND_MAX);

  float *dA, *dB, *dC;
  CUDA_OK(cudaMalloc(&dA, sizeof(float) * M * K));
  CUDA_OK(cudaMalloc(&dB, sizeof(float) * K * N));
  CUDA_OK(cudaMalloc(&dC, sizeof(float) * M * N));
  CUDA_OK(cudaMemcpy(dA, A.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(dB, B.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice));

  dim3 block(TILE, TILE);
  dim3 grid((N + TILE - 1) / TILE, (M + TILE * STRIPS - 1) / (TILE * STRIPS));
  matmulStrips<<<grid, block>>>(dA, dB, dC, M, K, N);
  CUDA_OK(cudaGetLastError());
  CUDA_OK(cudaMemcpy(C.data(), dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost));

  double err = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double ref = 0;
      for (int k = 0; k < K; ++k) ref += double(A[i * K + k]) * B[k * N + j];
      err = std::fmax(err, std::fabs(ref - C[i * N + j]));
    }
  std::printf("max error %g -> %s\n", err, err < 1e-3 ? "PASS" : "FAIL");
  cudaFree(dA);
  cudaFree(dB);
  cudaFree(dC);
  return 0;
}
