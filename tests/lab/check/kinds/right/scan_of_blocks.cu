// Prefix sums of each block, and what each block adds up to.
__global__ void scan(const int *in, int *out, int *totals, int n) {
  __shared__ int s[128]; int t = threadIdx.x, i = blockIdx.x * 128 + t;
  s[t] = i < n ? in[i] : 0; __syncthreads();
  for (int d = 1; d < 128; d *= 2) { int v = t >= d ? s[t - d] : 0; __syncthreads(); s[t] += v; __syncthreads(); }
  if (i < n) out[i] = s[t];
  if (t == 127) totals[blockIdx.x] = s[t];
}
void run(const int *in, int *out, int *totals, int n) { scan<<<(n + 127) / 128, 128>>>(in, out, totals, n); }
