// Tugas praktikum 2: perkalian matriks persegi (double)
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define UBIN 16

#define PERIKSA(p) { cudaError_t g = (p); if (g != cudaSuccess) { \
  std::printf("galat: %s\n", cudaGetErrorString(g)); std::exit(1); } }

__global__ void perkalian(const double *A, const double *B, double *C, int n)
{
  __shared__ double ubinA[UBIN][UBIN];
  __shared__ double ubinB[UBIN][UBIN];

  int tx = threadIdx.x, ty = threadIdx.y;
  int baris = blockIdx.y * UBIN + ty;
  int kolom = blockIdx.x * UBIN + tx;
  double hasil = 0.0;

  for (int f = 0; f < (n + UBIN - 1) / UBIN; f++) {
    int k1 = f * UBIN + tx;
    int k2 = f * UBIN + ty;

    ubinA[ty][tx] = 0.0;
    if (baris < n && k1 < n)
      ubinA[ty][tx] = A[baris * n + k1];

    ubinB[ty][tx] = 0.0;
    if (k2 < n && kolom < n)
      ubinB[ty][tx] = A[k2 * n + kolom];

    __syncthreads();
    for (int k = 0; k < UBIN; k++)
      hasil += ubinA[ty][k] * ubinB[k][tx];
    __syncthreads();
  }

  if (baris < n && kolom < n)
    C[baris * n + kolom] = hasil;
}

int main()
{
  const int n = 130;
  double *A, *B, *C;
  PERIKSA(cudaMallocManaged(&A, n * n * sizeof(double)));
  PERIKSA(cudaMallocManaged(&B, n * n * sizeof(double)));
  PERIKSA(cudaMallocManaged(&C, n * n * sizeof(double)));
  for (int i = 0; i < n * n; i++) {
    A[i] = std::sin((double)i);
    B[i] = std::cos((double)i);
  }

  dim3 blok(UBIN, UBIN);
  dim3 kisi((n + UBIN - 1) / UBIN, (n + UBIN - 1) / UBIN);
  perkalian<<<kisi, blok>>>(A, B, C, n);
  PERIKSA(cudaGetLastError());
  PERIKSA(cudaDeviceSynchronize());

  double beda = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0.0;
      for (int k = 0; k < n; k++) s += A[i * n + k] * B[k * n + j];
      beda = std::fmax(beda, std::fabs(s - C[i * n + j]));
    }
  std::printf("beda terbesar %g\n", beda);
  cudaFree(A); cudaFree(B); cudaFree(C);
  return 0;
}
