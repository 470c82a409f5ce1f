// Integer dot product with a 64-bit result
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static constexpr int kThreads = 256;
static constexpr int kItems = 4;     // elements per thread

#define CU(x)                                                        \
  if (cudaError_t e = (x)) {                                         \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e)); \
    return 1;                                                        \
  }

__global__ void dotKernel(const int* __restrict__ a, const int* __restrict__ b,
                          unsigned long long* result, int n) {
  __shared__ long long cache[kThreads];
  const int base = blockIdx.x * kThreads * kItems + threadIdx.x;

  long long sum = 0;
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
    const int i = base + u * kThreads;
    if (i < n) {
      int p = a[i] * b[i];
      sum += p;
    }
  }
  cache[threadIdx.x] = sum;
  __syncthreads();

  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(result, static_cast<unsigned long long>(cache[0]));
}

int main() {
  const int n = 500000;
  std::vector<int> ha(n), hb(n);
  long long expected = 0;
  for (int i = 0; i < n; ++i) {
    ha[i] = 90000 + i % 1000;
    hb[i] = (i % 3 == 0) ? -80000 : 70000;
    expected += (long long)ha[i] * hb[i];
  }

  int *da, *db;
  unsigned long long* dr;
  CU(cudaMalloc(&da, n * sizeof(int)));
  CU(cudaMalloc(&db, n * sizeof(int)));
  CU(cudaMalloc(&dr, sizeof(*dr)));
  CU(cudaMemcpy(da, ha.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CU(cudaMemcpy(db, hb.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CU(cudaMemset(dr, 0, sizeof(*dr)));

  const int perBlock = kThreads * kItems;
  dotKernel<<<(n + perBlock - 1) / perBlock, kThreads>>>(da, db, dr, n);
  CU(cudaGetLastError());

  long long got;
  CU(cudaMemcpy(&got, dr, sizeof(got), cudaMemcpyDeviceToHost));
  printf("gpu %lld, cpu %lld -> %s\n", got, expected, got == expected ? "ok" : "differs");
  cudaFree(da); cudaFree(db); cudaFree(dr);
  return got != expected;
}
