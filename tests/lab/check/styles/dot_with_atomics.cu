__device__ __forceinline__ float warpReduceSum(float val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    val += __shfl_down_sync(0xffffffff, val, offset);
  return val;
}
__global__ void dot_product(const float* __restrict__ x, const float* __restrict__ y, float* result, size_t n) {
  __shared__ float shared[32];
  float sum = 0.0f;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x)
    sum += x[i] * y[i];
  int lane = threadIdx.x % warpSize;
  int wid = threadIdx.x / warpSize;
  sum = warpReduceSum(sum);
  if (lane == 0) shared[wid] = sum;
  __syncthreads();
  sum = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
  if (wid == 0) {
    sum = warpReduceSum(sum);
    if (lane == 0) atomicAdd(result, sum);
  }
}
void run(const float* x, const float* y, float* r, size_t n) {
  cudaMemset(r, 0, sizeof(float));
  int threads = 256;
  int blocks = (n + threads - 1) / threads;
  dot_product<<<blocks, threads>>>(x, y, r, n);
}
