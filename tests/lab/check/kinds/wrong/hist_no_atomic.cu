__global__ void histogram(const unsigned char *data, unsigned int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bins[data[i]]++;
}
void go(unsigned char *d, unsigned int *b, int n) { cudaMemset(b, 0, 1024); histogram<<<(n + 255) / 256, 256>>>(d, b, n); }
