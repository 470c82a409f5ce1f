// Single-launch sum of doubles: the last block to finish adds the partial sums.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define NT 128

__device__ unsigned int ticketCounter = 0;

// all NT threads must call it; the result is valid in thread 0
__device__ double blockSum(double v, double *sh) {
  int t = threadIdx.x;
  sh[t] = v;
  __syncthreads();
  for (int s = NT / 2; s > 0; s >>= 1) {
    if (t < s) sh[t] += sh[t + s];
    __syncthreads();
  }
  return sh[0];
}

__global__ void sumAll(const double *in, size_t n, double *partial, double *out) {
  __shared__ double sh[NT];
  __shared__ bool amLast;

  double v = 0.0;
  // four elements per thread and round
  size_t stride = (size_t)gridDim.x * NT * 4;
  for (size_t base = (size_t)blockIdx.x * NT * 4; base < n; base += stride)
    for (int u = 0; u < 4; ++u) {
      size_t i = base + u * NT + threadIdx.x;
      if (i < n) v += in[i];
    }
  double s = blockSum(v, sh);

  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s;
    __threadfence();
    unsigned int ticket = atomicAdd(&ticketCounter, 1u);
    amLast = (ticket == gridDim.x - 1);
  }
  __syncthreads();

  if (amLast) {                       // same answer for the whole block
    __threadfence();
    volatile double *p = partial;
    double w = 0.0;
    for (unsigned int i = threadIdx.x; i < gridDim.x; i += NT) w += p[i];
    w = blockSum(w, sh);
    if (threadIdx.x == 0) {
      *out = w;
      ticketCounter = 0;              // ready for the next launch
    }
  }
}

int main() {
  const size_t n = 777777;
  const int blocks = 96;
  std::vector<double> h(n);
  double ref = 0;
  for (size_t i = 0; i < n; ++i) { h[i] = 1.0 / (1 + i % 1000); ref += h[i]; }

  double *d, *part, *out, got = 0;
  if (cudaMalloc(&d, n * sizeof(double)) != cudaSuccess) return 1;
  if (cudaMalloc(&part, blocks * sizeof(double)) != cudaSuccess) return 1;
  if (cudaMalloc(&out, sizeof(double)) != cudaSuccess) return 1;
  cudaMemcpy(d, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);

  for (int rep = 0; rep < 2; ++rep) {
    sumAll<<<blocks, NT>>>(d, n, part, out);
    cudaMemcpy(&got, out, sizeof(double), cudaMemcpyDeviceToHost);
    printf("run %d: %.9f (expected %.9f)\n", rep, got, ref);
    if (fabs(got - ref) > 1e-6 * ref) return 1;
  }
  cudaFree(d); cudaFree(part); cudaFree(out);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
