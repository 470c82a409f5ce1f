// largest value of an array
__device__ float atomicMaxf(float *a, float v) { int *p = (int *)a; int old = *p, assumed;
  do { assumed = old; old = atomicCAS(p, assumed, __float_as_int(fmaxf(v, __int_as_float(assumed)))); } while (assumed != old);
  return __int_as_float(old); }
__global__ void findMax(const float *a, float *result, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? a[i] : -3.0e38f;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) { if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]); __syncthreads(); }
  if (threadIdx.x == 0) atomicMaxf(result, s[0]);
}
