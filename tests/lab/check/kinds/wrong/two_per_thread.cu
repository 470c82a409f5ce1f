__global__ void sum2(const float *in, float *out, int n) {
  __shared__ float s[256]; int t = threadIdx.x, i = blockIdx.x * 512 + t;
  s[t] = i < n ? in[i] : 0;
  if (i + 256 <= n)
    s[t] += in[i + 256];
  __syncthreads();
  for (int k = 128; k; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
  if (t == 0) out[blockIdx.x] = s[0];
}
int main() { int n = 100000; float *x, *r; sum2<<<(n + 511) / 512, 256>>>(x, r, n); }
