#include <cstdio>
#include <cmath>
#include <vector>
using namespace std;

// C(i,j) = sum over the 2x2 square of A*B at (2i,2j).   blockDim = (t, t)
__global__ void red(const float* A, const float* B, float* C, int m, int n, int k) {
  extern __shared__ float mem[];
  const int t = blockDim.x;
  float* a = mem;               // 2t rows of t numbers
  float* b = mem + 2 * t * t;   // t rows of 2t numbers
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int R = blockIdx.y * 2 * t, S = blockIdx.x * 2 * t;
  float sum = 0;
  for (int p = 0; p < k; p += t) {
    for (int h = 0; h < 2; h++) {
      int r = ty + h * t, s = tx + h * t;
      a[r * t + tx] = R + r < 2 * m && p + tx < k ? A[(R + r) * k + p + tx] : 0;
      b[ty * 2 * t + s] = p + ty < k && S + s < 2 * n ? B[(p + ty) * 2 * n + S + s] : 0;
    }
    __syncthreads();
    for (int q = 0; q < t; q++)
      sum += (a[2 * ty * t + q] + a[(2 * ty + 1) * t + q]) * (b[q * 2 * t + 2 * tx] + b[q * 2 * t + 2 * tx + 1]);
    __syncthreads();
  }
  int i = R / 2 + ty, j = S / 2 + tx;
  if (i < m && j < n) C[i * n + j] = sum;
}

int main() {
  int m = 26, n = 35, k = 40, t = 16;
  vector<float> A(2 * m * k), B(2 * n * k), C(m * n);
  for (size_t i = 0; i < A.size(); i++) A[i] = i % 9 * 0.5f;
  for (size_t i = 0; i < B.size(); i++) B[i] = i % 5 - 2.0f;
  float *dA, *dB, *dC;
  cudaMalloc(&dA, A.size() * sizeof(float));
  cudaMalloc(&dB, B.size() * sizeof(float));
  cudaMalloc(&dC, C.size() * sizeof(float));
  cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

  dim3 threads(t, t), blocks((n + t - 1) / t, (m + t - 1) / t);
  size_t bytes = 2 * t * t * sizeof(float);
  red<<<blocks, threads, bytes>>>(dA, dB, dC, m, n, k);

  cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
  float worst = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float s = 0;
      for (int q = 0; q < k; q++)
        s += (A[2 * i * k + q] + A[(2 * i + 1) * k + q]) * (B[q * 2 * n + 2 * j] + B[q * 2 * n + 2 * j + 1]);
      worst = fmaxf(worst, fabsf(s - C[i * n + j]));
    }
  printf("largest difference %g\n", worst);
  cudaFree(dA); cudaFree(dB); cudaFree(dC);
  return worst > 1e-3f;
}
