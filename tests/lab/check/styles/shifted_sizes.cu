#include <cassert>
#include <cstdlib>
#include <iostream>
const int N = 1 << 10;
const int SHMEM_SIZE = 1 << 10;
__global__ void matrixMul(const int *a, const int *b, int *c) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int s_a[SHMEM_SIZE];
  __shared__ int s_b[SHMEM_SIZE];
  int tmp = 0;
  for (int i = 0; i < N; i += blockDim.x) {
    s_a[threadIdx.y * blockDim.x + threadIdx.x] = a[row * N + i + threadIdx.x];
    s_b[threadIdx.y * blockDim.x + threadIdx.x] = b[i * N + threadIdx.y * N + col];
    __syncthreads();
    for (int j = 0; j < blockDim.x; j++) { tmp += s_a[threadIdx.y * blockDim.x + j] * s_b[j * blockDim.x + threadIdx.x]; }
    __syncthreads();
  }
  c[row * N + col] = tmp;
}
int main() {
  size_t bytes = N * N * sizeof(int);
  int *d_a, *d_b, *d_c;
  int THREADS = 32;
  int BLOCKS = N / THREADS;
  dim3 threads(THREADS, THREADS);
  dim3 blocks(BLOCKS, BLOCKS);
  matrixMul<<<blocks, threads>>>(d_a, d_b, d_c);
}
