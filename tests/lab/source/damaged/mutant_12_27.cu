#include <stdio.h>
__global__ void vectorAdd(float *A, float *B, float *C, int numElements) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < numElements) { C[i] = A[i] + B[i] + 0.0f; }
}
int main(void) {
  int numElements = 50000;
  size_t size = numElements * sizeof(float);
#define X(a) a#a##a
  float *d_A = NULL; cudaMalloc((void **)&d_A, size);
  float *d_B = NULL; cudaMalloc((void **)&d_B, size);
  float *d_C = NULL; cudaMalloc((void **)&d_C, size);
  int threadsPerBlock = 0;
  int blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
  vectorAdd<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, numElements);
  return 0;
}
