__global__ void scale(float *v, float k, unsigned int n) {
  unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  while (tid < n) { v[tid] *= k; tid += stride; }
}
