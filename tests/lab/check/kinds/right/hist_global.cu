#define BINS 64
__global__ void hist(const int *data, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && data[i] >= 0 && data[i] < BINS) atomicAdd(&counts[data[i]], 1);
}
