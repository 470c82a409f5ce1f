// a histogram with a bin of `width` for each `least + i * width`
struct Bins { int least, width, count; };
__global__ void histogram(const int *in, int n, Bins b, unsigned *out) {
  extern __shared__ unsigned h[];
  if (threadIdx.x < b.count) h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int at = (in[i] - b.least) / b.width; if (at >= 0 && at < b.count) atomicAdd(&h[at], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < b.count; i += blockDim.x) atomicAdd(&out[i], h[i]);
}
void run(const int *in, int n, Bins b, unsigned *out) { cudaMemset(out, 0, b.count * sizeof(unsigned)); histogram<<<40, 128, b.count * sizeof(unsigned)>>>(in, n, b, out); }
