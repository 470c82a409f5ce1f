// C <- alfa * A * B + beta * C, doppia precisione, memorizzazione per colonne.
// A e' m x k, B e' k x n, C e' m x n. Le matrici arrivano dall'host.
// Prova:  ./dgemm [m n k]
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA(x)                                                          \
  if ((x) != cudaSuccess) {                                              \
    fprintf(stderr, "riga %d: %s\n", __LINE__,                           \
            cudaGetErrorString(cudaPeekAtLastError()));                  \
    exit(1);                                                             \
  }

__global__ void dgemm(int m, int n, int k, double alfa, const double *A,
                      const double *B, double beta, double *C)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;   // riga
  int j = blockIdx.y * blockDim.y + threadIdx.y;   // colonna
  if (i < m && j < n) {
    double s = 0;
    for (int p = 0; p < k; ++p)
      s += A[i + p * m] * B[p + j * k];
    C[i + j * m] = alfa * s + beta * C[i + j * m];
  }
}

void dgemmHost(int m, int n, int k, double alfa, const double *A,
               const double *B, double beta, double *C)
{
  double *dA, *dB, *dC;
  const size_t R = sizeof(double);
  CUDA(cudaMalloc(&dA, R * m * k));
  CUDA(cudaMalloc(&dB, R * k * n));
  CUDA(cudaMalloc(&dC, R * m * n));
  CUDA(cudaMemcpy(dA, A, R * m * k, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dB, B, R * m * k, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dC, C, R * m * n, cudaMemcpyHostToDevice));

  dim3 blocco(32, 8);
  dim3 griglia((m + 31) / 32, (n + 7) / 8);
  dgemm<<<griglia, blocco>>>(m, n, k, alfa, dA, dB, beta, dC);
  CUDA(cudaGetLastError());

  CUDA(cudaMemcpy(C, dC, R * m * n, cudaMemcpyDeviceToHost));
  CUDA(cudaFree(dA));
  CUDA(cudaFree(dB));
  CUDA(cudaFree(dC));
}

int main(int argc, char **argv)
{
  int m = 120, n = 120, k = 90;
  if (argc > 3) {
    m = atoi(argv[1]);
    n = atoi(argv[2]);
    k = atoi(argv[3]);
  }
  if (m < 1 || n < 1 || k < 1 || m > 5000 || n > 5000 || k > 5000) return 2;

  std::vector<double> A(m * k), B(k * n), C(m * n), D;
  for (int x = 0; x < m * k; ++x) A[x] = cos(0.01 * x);
  for (int x = 0; x < k * n; ++x) B[x] = sin(0.02 * x);
  for (int x = 0; x < m * n; ++x) C[x] = x % 11;
  D = C;

  dgemmHost(m, n, k, 2.0, A.data(), B.data(), -0.5, C.data());

  double err = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      double s = 0;
      for (int p = 0; p < k; ++p) s += A[i + p * m] * B[p + j * k];
      err = fmax(err, fabs(2.0 * s - 0.5 * D[i + j * m] - C[i + j * m]));
    }
  printf("errore massimo: %g\n", err);
  return err > 1e-9;
}
