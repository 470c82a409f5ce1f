// Producto de matrices con lecturas float4.
// Requisito: columnas (n) multiplo de 4. Las filas y la dimension interna son libres.
#include <iostream>
#include <vector>
#include <cmath>
#include <cassert>
#include <cuda_runtime.h>

#define T 16

__global__ void matmul_vec4(const float* A, const float4* B, float4* C, int m, int n, int k) {
  __shared__ float  sA[T][T];
  __shared__ float4 sB[T][T];

  int n4 = n / 4;                           // columnas contadas en float4
  int fila = blockIdx.y * T + threadIdx.y;
  int col4 = blockIdx.x * T + threadIdx.x;
  const float4 cero = make_float4(0.f, 0.f, 0.f, 0.f);
  float4 acc = cero;

  for (int k0 = 0; k0 < k; k0 += T) {
    int ka = k0 + threadIdx.x;
    int kb = k0 + threadIdx.y;
    float va = 0.f;
    float4 vb = cero;
    if (fila < m && ka < k) va = A[fila * k + ka];
    if (kb < k && col4 < n4) vb = B[kb * n4 + col4];
    sA[threadIdx.y][threadIdx.x] = va;
    sB[threadIdx.y][threadIdx.x] = vb;
    __syncthreads();
    for (int q = 0; q < T; ++q) {
      float a = sA[threadIdx.y][q];
      float4 b = sB[q][threadIdx.x];
      acc.x += a * b.x;
      acc.y += a * b.y;
      acc.z += a * b.z;
      acc.w += a * b.w;
    }
    __syncthreads();
  }
  if (fila < m && col4 < n4) C[fila * n4 + col4] = acc;
}

int main() {
  int m = 70, n = 212, k = 45;
  assert(n % 4 == 0);
  std::vector<float> a(m * k), b(k * n), c(m * n, -1.f);
  for (int i = 0; i < m * k; ++i) a[i] = float(i % 11) - 5;
  for (int i = 0; i < k * n; ++i) b[i] = float(i % 9) - 4;

  float *da, *db, *dc;
  cudaMalloc(&da, m * k * sizeof(float));
  cudaMalloc(&db, k * n * sizeof(float));
  cudaMalloc(&dc, m * n * sizeof(float));
  cudaMemcpy(da, a.data(), m * k * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), k * n * sizeof(float), cudaMemcpyHostToDevice);

  dim3 hilos(T, T);
  dim3 bloques((n / 4 + T - 1) / T, (m + T - 1) / T);
  matmul_vec4<<<bloques, hilos>>>(da, reinterpret_cast<const float4*>(db),
                                  reinterpret_cast<float4*>(dc), m, n, k);
  cudaMemcpy(c.data(), dc, m * n * sizeof(float), cudaMemcpyDeviceToHost);

  bool ok = cudaGetLastError() == cudaSuccess;
  for (int i = 0; i < m && ok; ++i)
    for (int j = 0; j < n; ++j) {
      float r = 0;
      for (int q = 0; q < k; ++q) r += a[i * k + q] * b[q * n + j];
      if (std::fabs(r - c[i * n + j]) > 1e-3f) { ok = false; break; }
    }
  std::cout << (ok ? "correcto" : "INCORRECTO") << std::endl;
  cudaFree(da); cudaFree(db); cudaFree(dc);
  return ok ? 0 : 1;
}
