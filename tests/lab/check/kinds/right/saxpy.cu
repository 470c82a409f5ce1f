#include <stdio.h>
__global__ void saxpy(int n, float a, float *x, float *y) { int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) y[i] = a*x[i] + y[i]; }
int main(void) { int N = 1<<20; float *d_x, *d_y; cudaMalloc(&d_x, N*sizeof(float)); cudaMalloc(&d_y, N*sizeof(float));
  saxpy<<<(N+255)/256, 256>>>(N, 2.0f, d_x, d_y); }
