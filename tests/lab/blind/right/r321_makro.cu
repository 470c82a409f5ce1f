// Tugas 3 - perkalian matriks, grid dan blok satu dimensi
#include <stdio.h>
#include <stdlib.h>

#define U 16                      /* ukuran ubin */
#define IDX(b, k, lebar) ((b) * (lebar) + (k))
#define BAGI_ATAS(a, b) (((a) + (b) - 1) / (b))
#define CEK(p) if ((p) != cudaSuccess) { puts("galat CUDA"); exit(1); }

__global__ void kali(const int *A, const int *B, int *C, int m, int k, int n)
{
  __shared__ int ua[U * U];
  __shared__ int ub[U * U];

  int ubinPerBaris = BAGI_ATAS(n, U);
  int by = blockIdx.x / ubinPerBaris;
  int bx = blockIdx.x % ubinPerBaris;
  int ty = threadIdx.x / U;
  int tx = threadIdx.x % U;

  int baris = by * U + ty;
  int kolom = bx * U + tx;
  int jumlah = 0;

  for (int p = 0; p < BAGI_ATAS(k, U); p++) {
    int ka = p * U + tx, kb = p * U + ty;
    ua[IDX(ty, tx, U)] = (baris < m && ka < k) ? A[IDX(baris, ka, k)] : 0;
    ub[IDX(ty, tx, U)] = (kb < k && kolom < n) ? B[IDX(kb, kolom, n)] : 0;
    __syncthreads();
    for (int i = 0; i < U; i++)
      jumlah += ua[IDX(ty, i, U)] * ub[IDX(i, tx, U)];
    __syncthreads();
  }
  if (baris < m && kolom < n)
    C[IDX(baris, kolom, n)] = jumlah;
}

int main(void)
{
  int m = 66, k = 91, n = 110, i, j, p, salah = 0;
  int *A = (int *)malloc(sizeof(int) * m * k);
  int *B = (int *)malloc(sizeof(int) * k * n);
  int *C = (int *)malloc(sizeof(int) * m * n);
  int *dA, *dB, *dC;

  for (i = 0; i < m * k; i++) A[i] = rand() % 10;
  for (i = 0; i < k * n; i++) B[i] = rand() % 10;

  CEK(cudaMalloc((void **)&dA, sizeof(int) * m * k));
  CEK(cudaMalloc((void **)&dB, sizeof(int) * k * n));
  CEK(cudaMalloc((void **)&dC, sizeof(int) * m * n));
  CEK(cudaMemcpy(dA, A, sizeof(int) * m * k, cudaMemcpyHostToDevice));
  CEK(cudaMemcpy(dB, B, sizeof(int) * k * n, cudaMemcpyHostToDevice));

  kali<<<BAGI_ATAS(m, U) * BAGI_ATAS(n, U), U * U>>>(dA, dB, dC, m, k, n);
  CEK(cudaGetLastError());
  CEK(cudaMemcpy(C, dC, sizeof(int) * m * n, cudaMemcpyDeviceToHost));

  for (i = 0; i < m; i++)
    for (j = 0; j < n; j++) {
      int s = 0;
      for (p = 0; p < k; p++) s += A[IDX(i, p, k)] * B[IDX(p, j, n)];
      if (s != C[IDX(i, j, n)]) salah++;
    }
  printf("salah = %d\n", salah);

  cudaFree(dA); cudaFree(dB); cudaFree(dC);
  free(A); free(B); free(C);
  return 0;
}
