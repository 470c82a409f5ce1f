// A weighted sum of each element and its neighbours, with zeros outside; the weights lie in constant memory.
__constant__ float weights[5];
__global__ void convolve(const float *in, float *out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x; if (i >= n) return;
  float s = 0; for (int k = -2; k <= 2; ++k) if (i + k >= 0 && i + k < n) s += weights[k + 2] * in[i + k];
  out[i] = s;
}
void run(const float *w, const float *in, float *out, int n) { cudaMemcpyToSymbol(weights, w, sizeof(weights)); convolve<<<(n + 127) / 128, 128>>>(in, out, n); }
