// Double precision tiled product with dynamic shared memory.
// n x n matrices, any n; the tile edge is 8, 16 or 32.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__global__ void dmm(const double* a, const double* b, double* c, int n) {
  extern __shared__ double buf[];
  const int e = blockDim.x;
  double* ta = buf;
  double* tb = buf + e * e;

  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * e + ty, col = blockIdx.x * e + tx;
  double acc = 0.0;
  for (int k0 = 0; k0 < n; k0 += e) {
    ta[ty * e + tx] = (row < n && k0 + tx < n) ? a[(size_t)row * n + k0 + tx] : 0.0;
    tb[ty * e + tx] = (col < n && k0 + ty < n) ? b[(size_t)(k0 + ty) * n + col] : 0.0;
    __syncthreads();
    for (int q = 0; q < e; ++q) acc += ta[ty * e + q] * tb[q * e + tx];
    __syncthreads();
  }
  if (row < n && col < n) c[(size_t)row * n + col] = acc;
}

static void multiply(const double* a, const double* b, double* c, int n, int edge) {
  const dim3 block(edge, edge);
  const dim3 grid((n + edge - 1) / edge, (n + edge - 1) / edge);
  const size_t shmem = sizeof(float) * 2 * edge * edge;
  dmm<<<grid, block, shmem>>>(a, b, c, n);
}

int main() {
  const int n = 150;
  const size_t bytes = sizeof(double) * n * n;
  std::vector<double> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = std::sin(0.1 * i);
    b[i] = std::cos(0.2 * i);
  }
  double *da, *db, *dc;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);

  for (int edge = 8; edge <= 32; edge *= 2) {
    cudaMemset(dc, 0, bytes);
    multiply(da, db, dc, n, edge);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
    double worst = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double s = 0;
        for (int k = 0; k < n; ++k) s += a[i * n + k] * b[k * n + j];
        worst = std::fmax(worst, std::fabs(s - c[i * n + j]));
      }
    printf("edge %2d: %s, max difference %g\n", edge, cudaGetErrorString(e), worst);
  }
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return 0;
}
