// GEMM w układzie kolumnowym (jak BLAS): C = alfa*A*B + beta*C
// lda, ldb, ldc - wiodące wymiary
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define SPRAWDZ(w) { cudaError_t b_ = (w); if (b_ != cudaSuccess) { \
  fprintf(stderr, "Blad: %s (linia %d)\n", cudaGetErrorString(b_), __LINE__); exit(1); } }

#define IDX(i, j, ld) ((size_t)(j) * (ld) + (i))

const int WIERSZE = 32;   // wiersze kafelka C = blockDim.x
const int KOLUMNY = 8;    // kolumny kafelka C = blockDim.y
const int GLEB    = 8;

__global__ void gemm_kol(int m, int n, int k, double alfa,
                         const double *A, int lda,
                         const double *B, int ldb,
                         double beta, double *C, int ldc)
{
  __shared__ double sA[GLEB][WIERSZE];
  __shared__ double sB[KOLUMNY][GLEB];

  int x = threadIdx.x, y = threadIdx.y;
  int i = blockIdx.x * WIERSZE + x;
  int j = blockIdx.y * KOLUMNY + y;

  double suma = 0;
  for (int p = 0; p < k; p += GLEB) {
    // 32x8 wątków wczytuje kafelek A 32x8
    sA[y][x] = (i < m && p + y < k) ? A[IDX(i, p + y, lda)] : 0.0;
    // kafelek B 8x8 wczytuje tylko x < 8
    if (x < GLEB)
      sB[y][x] = (p + x < k && j < n) ? B[IDX(p + x, j, ldb)] : 0.0;
    __syncthreads();
    for (int q = 0; q < GLEB; ++q)
      suma += sA[q][x] * sB[y][q];
    __syncthreads();
  }

  if (i < m && j < n) {
    double wynik = alfa * suma;
    if (beta != 0.0) wynik += beta * C[IDX(i, j, ldc)];
    C[IDX(i, j, ldc)] = wynik;
  }
}

int main()
{
  int m = 123, n = 57, k = 86;
  int lda = 128, ldb = 90, ldc = 125;
  size_t la = (size_t)lda * k, lb = (size_t)ldb * n, lc = (size_t)ldc * n;
  double *A = (double*)malloc(la * sizeof(double));
  double *B = (double*)malloc(lb * sizeof(double));
  double *C = (double*)malloc(lc * sizeof(double));
  double *W = (double*)malloc(lc * sizeof(double));
  for (size_t t = 0; t < la; ++t) A[t] = sin(0.1 * t);
  for (size_t t = 0; t < lb; ++t) B[t] = cos(0.2 * t);
  for (size_t t = 0; t < lc; ++t) C[t] = 0.01 * (t % 50);

  double *dA, *dB, *dC;
  SPRAWDZ(cudaMalloc(&dA, la * sizeof(double)));
  SPRAWDZ(cudaMalloc(&dB, lb * sizeof(double)));
  SPRAWDZ(cudaMalloc(&dC, lc * sizeof(double)));
  SPRAWDZ(cudaMemcpy(dA, A, la * sizeof(double), cudaMemcpyHostToDevice));
  SPRAWDZ(cudaMemcpy(dB, B, lb * sizeof(double), cudaMemcpyHostToDevice));
  SPRAWDZ(cudaMemcpy(dC, C, lc * sizeof(double), cudaMemcpyHostToDevice));

  dim3 blok(WIERSZE, KOLUMNY);
  dim3 siatka((m + WIERSZE - 1) / WIERSZE, (n + KOLUMNY - 1) / KOLUMNY);
  gemm_kol<<<siatka, blok>>>(m, n, k, 1.5, dA, lda, dB, ldb, -0.5, dC, ldc);
  SPRAWDZ(cudaGetLastError());
  SPRAWDZ(cudaMemcpy(W, dC, lc * sizeof(double), cudaMemcpyDeviceToHost));

  double blad = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      double s = 0;
      for (int p = 0; p < k; ++p) s += A[IDX(i, p, lda)] * B[IDX(p, j, ldb)];
      s = 1.5 * s - 0.5 * C[IDX(i, j, ldc)];
      blad = fmax(blad, fabs(s - W[IDX(i, j, ldc)]));
    }
  printf("najwiekszy blad %e\n", blad);
  cudaFree(dA); cudaFree(dB); cudaFree(dC);
  free(A); free(B); free(C); free(W);
  return blad < 1e-9 ? 0 : 1;
}
