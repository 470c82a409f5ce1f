__inline__ __device__ float warpSum(float v) { for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o); return v; }
__global__ void sum_kernel(const float *in, float *out, int n) {
  float s = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) s += in[i];
  s = warpSum(s);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, s);
}
int main() { int n = 1 << 20; float *x, *r; cudaMalloc(&x, n * 4); cudaMalloc(&r, 4); cudaMemset(r, 0, sizeof(float));
  sum_kernel<<<64, 256>>>(x, r, n); }
