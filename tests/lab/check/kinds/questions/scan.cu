// inclusive prefix sum of one block
__global__ void scan(const float *in, float *out, int n) {
  __shared__ float s[256]; int t = threadIdx.x;
  s[t] = t < n ? in[t] : 0; __syncthreads();
  for (int d = 1; d < 256; d *= 2) { float v = t >= d ? s[t - d] : 0; __syncthreads(); s[t] += v; __syncthreads(); }
  if (t < n) out[t] = s[t];
}
