//tileddotProduct.cu
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
using namespace std;

const double MAX_ERR = 1e-5;
const int N = 10000;
const int tileWidth = 256;

__global__ void dotProduct(double *C, double *A, double *B)
{
  __shared__ double tile[tileWidth];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  int local_tid = threadIdx.x;

  double sum = 0.0;
  int distance = gridDim.x * blockDim.x;
  for (int k = tid; k < N; k += distance)
    sum += A[k] * B[k];

  tile[local_tid] = sum;
  __syncthreads();

  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (local_tid < stride)
      tile[local_tid] += tile[local_tid + stride];
    __syncthreads();
  }

  if (local_tid == 0)
    C[blockIdx.x] = tile[0];
}

int main()
{
  static double A[N], B[N];
  int nBlocks = 12;                 // fewer than N/tileWidth, the loop takes the rest
  double *C = new double[nBlocks];
  double *dA, *dB, *dC;
  double expected = 0;

  for (int i = 0; i < N; i++) {
    A[i] = (i % 10) * 0.5;
    B[i] = 3.0 - (i % 7);
    expected += A[i] * B[i];
  }
  cudaMalloc((void **)&dA, sizeof(A));
  cudaMalloc((void **)&dB, sizeof(B));
  cudaMalloc((void **)&dC, nBlocks * sizeof(double));
  cudaMemcpy(dA, A, sizeof(A), cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B, sizeof(B), cudaMemcpyHostToDevice);

  dotProduct<<<nBlocks, tileWidth>>>(dC, dA, dB);
  cudaDeviceSynchronize();
  cudaMemcpy(C, dC, nBlocks * sizeof(double), cudaMemcpyDeviceToHost);

  for (int i = 1; i < nBlocks; i++)
    C[0] += C[i];
  int bad = fabs(C[0] - expected) > MAX_ERR;
  if (bad) printf("\nError! %f instead of %f\n", C[0], expected);
  else printf("\nPASSED: %6.2f\n", C[0]);

  cudaFree(dA); cudaFree(dB); cudaFree(dC);
  delete[] C;
  return bad;
}
