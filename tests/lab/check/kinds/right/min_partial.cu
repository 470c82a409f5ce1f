#include <cfloat>
__global__ void minKernel(const float *d, float *m, int n) {
  extern __shared__ float sm[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  sm[t] = i < n ? d[i] : FLT_MAX;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (t < s) sm[t] = fminf(sm[t], sm[t + s]); __syncthreads(); }
  if (t == 0) m[blockIdx.x] = sm[0];
}
