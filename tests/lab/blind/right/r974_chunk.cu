#include <stdio.h>
#include <stdlib.h>
#define CHUNK 96
#define OK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    printf("%s\n", cudaGetErrorString(e_)); exit(1); } } while (0)

/* thread = row; the vector passes through shared memory CHUNK numbers at a time */
__global__ void matvec(const double *mat, const double *vec, double *out, int R, int C)
{
  __shared__ double piece[CHUNK];
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  double sum = 0;

  for (int first = 0; first < C; first += CHUNK)
  {
    int len = C - first < CHUNK ? C - first : CHUNK;
    for (int q = threadIdx.x; q < len; q += blockDim.x)
      piece[q] = vec[first + q];
    __syncthreads();

    if (row < R)
      for (int q = 0; q < len; q++)
        sum += mat[row * C + first + q] * piece[q];
    __syncthreads();
  }

  if (row < R)
    out[row] = sum;
}

int main()
{
  int R = 150, C = 210, i, j, wrong = 0;
  double *A = new double[R * C], *x = new double[C], *y = new double[R];
  for (i = 0; i < R * C; i++) A[i] = (i * 7 % 11) - 5;
  for (j = 0; j < C; j++) x[j] = (j % 5) * 0.25;

  double *dA, *dx, *dy;
  OK(cudaMalloc(&dA, R * C * sizeof(double)));
  OK(cudaMalloc(&dx, C * sizeof(double)));
  OK(cudaMalloc(&dy, R * sizeof(double)));
  OK(cudaMemcpy(dA, A, R * C * sizeof(double), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dx, x, C * sizeof(double), cudaMemcpyHostToDevice));

  matvec<<<(R + 63) / 64, 64>>>(dA, dx, dy, R, C);
  OK(cudaGetLastError());
  OK(cudaMemcpy(y, dy, R * sizeof(double), cudaMemcpyDeviceToHost));

  for (i = 0; i < R; i++)
  {
    double s = 0;
    for (j = 0; j < C; j++) s += A[i * C + j] * x[j];
    if (s - y[i] > 1e-9 || y[i] - s > 1e-9) wrong++;
  }
  printf(wrong ? "FAIL\n" : "PASS\n");
  OK(cudaFree(dA)); OK(cudaFree(dx)); OK(cudaFree(dy));
  delete[] A; delete[] x; delete[] y;
  return wrong;
}
