// Euclidean norm, one block
__global__ void norm2(const float *x, float *result, int n) {
  __shared__ float part[256];
  float s = 0; for (int i = threadIdx.x; i < n; i += 256) s += x[i] * x[i];
  part[threadIdx.x] = s; __syncthreads();
  for (int k = 128; k; k /= 2) { if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0) *result = sqrtf(part[0]);
}
