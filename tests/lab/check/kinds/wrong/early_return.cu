__global__ void blockMax(const float *in, float *out, int n) {
  __shared__ float s[256]; int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i >= n) return;
  s[t] = in[i];
  __syncthreads();
  for (int k = 128; k; k >>= 1) { if (t < k) s[t] = fmaxf(s[t], s[t + k]); __syncthreads(); }
  if (t == 0) out[blockIdx.x] = s[0];
}
int main() { int n = 100000; float *x, *r; blockMax<<<(n + 255) / 256, 256>>>(x, r, n); }
