__global__ void maxKernel(const int *v, int *best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(best, v[i]);
}
