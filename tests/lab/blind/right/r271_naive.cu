// Assignment 1 - plain matrix product, one thread per output element
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CHECK(call)                                                       \
  do {                                                                    \
    cudaError_t err_ = (call);                                            \
    if (err_ != cudaSuccess) {                                            \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,                   \
              cudaGetErrorString(err_));                                  \
      exit(1);                                                            \
    }                                                                     \
  } while (0)

struct Matrix {
  int rows;
  int cols;
  float *data;
};

__device__ __forceinline__ float get(const Matrix &m, int r, int c) {
  return m.data[(size_t)r * m.cols + c];
}

__global__ void matMulNaive(Matrix A, Matrix B, Matrix C) {
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < C.rows && c < C.cols) {
    float acc = 0.f;
    for (int k = 0; k < A.cols; ++k) acc += get(A, r, k) * get(B, k, c);
    C.data[(size_t)r * C.cols + c] = acc;
  }
}

static Matrix hostMatrix(int r, int c) {
  Matrix m = {r, c, (float *)malloc((size_t)r * c * sizeof(float))};
  for (int i = 0; i < r * c; ++i) m.data[i] = (float)(rand() % 19 - 9);
  return m;
}

static Matrix toDevice(const Matrix &h) {
  Matrix d = h;
  size_t bytes = (size_t)h.rows * h.cols * sizeof(float);
  CHECK(cudaMalloc(&d.data, bytes));
  CHECK(cudaMemcpy(d.data, h.data, bytes, cudaMemcpyHostToDevice));
  return d;
}

int main(int argc, char **argv) {
  int m = argc > 1 ? atoi(argv[1]) : 133;
  int n = argc > 2 ? atoi(argv[2]) : 77;
  int k = argc > 3 ? atoi(argv[3]) : 101;
  Matrix hA = hostMatrix(m, k), hB = hostMatrix(k, n), hC = hostMatrix(m, n);
  Matrix dA = toDevice(hA), dB = toDevice(hB), dC = toDevice(hC);

  dim3 block(16, 16);
  dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
  matMulNaive<<<grid, block>>>(dA, dB, dC);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(hC.data, dC.data, (size_t)m * n * sizeof(float),
                   cudaMemcpyDeviceToHost));

  int bad = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float ref = 0;
      for (int p = 0; p < k; ++p) ref += hA.data[i * k + p] * hB.data[p * n + j];
      if (fabsf(ref - hC.data[i * n + j]) > 1e-3f) ++bad;
    }
  printf(bad ? "FAILED (%d)\n" : "OK (%d wrong)\n", bad);
  CHECK(cudaFree(dA.data)); CHECK(cudaFree(dB.data)); CHECK(cudaFree(dC.data));
  free(hA.data); free(hB.data); free(hC.data);
  return bad != 0;
}
