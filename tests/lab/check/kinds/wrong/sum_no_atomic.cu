__global__ void sum(const float *x, float *total, int n) {
  __shared__ float s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0; __syncthreads();
  for (int k = 64; k; k /= 2) { if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; __syncthreads(); }
  if (threadIdx.x == 0)
    *total += s[0];
}
int main() { int n = 10000; float *a, *b; cudaMemset(b, 0, 4); sum<<<(n + 127) / 128, 128>>>(a, b, n); }
