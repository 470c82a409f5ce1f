#include <stdio.h>
__global__ void residual(float *A, float *B, float *C, int numElements) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i > 0 && i < numElements - 1) { C[i] = A[i - 1] - 2.0f * A[i] + A[i + 1] - B[i]; }
}
int main(void) {
  int numElements = 50000;
  size_t size = numElements * sizeof(float);
  float *d_A = NULL; cudaMalloc((void **)&d_A, size);
  float *d_B = NULL; cudaMalloc((void **)&d_B, size);
  float *d_C = NULL; cudaMalloc((void **)&d_C, size);
  int threadsPerBlock = 256;
  int blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
  residual<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, numElements);
  return 0;
}
