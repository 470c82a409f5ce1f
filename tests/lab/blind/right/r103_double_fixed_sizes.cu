//matMultiply.cu  -  tiled version with doubles, sizes are constants
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
using namespace std;

const double MAX_ERR = 1e-5;
const int M = 50;
const int N = 62;
const int L = 70;
const int tileWidth = 16;
const double sqr2 = 1.4142135623730950488016887242;

__global__ void matMul(double *C, double *A, double *B, int nTiles)
{
  __shared__ double sA[tileWidth][tileWidth];
  __shared__ double sB[tileWidth][tileWidth];

  int i = threadIdx.y + blockIdx.y * tileWidth; //row
  int j = threadIdx.x + blockIdx.x * tileWidth; //col
  int local_i = threadIdx.y;
  int local_j = threadIdx.x;
  double sum = 0.0;

  for (int t = 0; t < nTiles; ++t) {
    if (i < M && (t * tileWidth + local_j) < N)
      sA[local_i][local_j] = A[i*N + t * tileWidth + local_j];
    else
      sA[local_i][local_j] = 0.0;

    if (j < L && (t * tileWidth + local_i) < N)
      sB[local_i][local_j] = B[(t*tileWidth + local_i) * L + j];
    else
      sB[local_i][local_j] = 0.0;
    __syncthreads();

    for (int k = 0; k < tileWidth; ++k)
      sum = sum + sA[local_i][k] * sB[k][local_j];
    __syncthreads();
  }
  if (i < M && j < L)
    C[i*L+j] = sum;
}

int main()
{
  static double A[M][N], B[N][L], C[M][L];
  double *dA, *dB, *dC;

  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = sqr2 * (i + 1);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < L; j++)
      B[i][j] = sqr2 * (j + 1) ;

  cudaMalloc((void **)&dA, sizeof(A));
  cudaMalloc((void **)&dB, sizeof(B));
  cudaMalloc((void **)&dC, sizeof(C));
  cudaMemcpy(dA, A, sizeof(A), cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B, sizeof(B), cudaMemcpyHostToDevice);

  dim3 threadsPerBlock(tileWidth, tileWidth);
  dim3 blocksPerGrid(ceil((float)L/tileWidth), ceil((float)M/tileWidth));
  int nTiles = ceil((float)N / tileWidth);
  matMul<<<blocksPerGrid, threadsPerBlock>>>(dC, dA, dB, nTiles);
  cudaDeviceSynchronize();
  cudaMemcpy(C, dC, sizeof(C), cudaMemcpyDeviceToHost);

  int errors = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < L; j++)
      if (fabs(C[i][j] - 2.0 * N * (i + 1) * (j + 1)) > MAX_ERR)
        errors++;
  if (errors == 0) printf("\nPASSED: %4.2f\n", C[0][0]);
  else printf("\n%d errors\n", errors);

  cudaFree(dA);
  cudaFree(dB);
  cudaFree(dC);
  return errors != 0;
}
