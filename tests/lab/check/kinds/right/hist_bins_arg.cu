__global__ void histogram(const unsigned int *in, unsigned int *bins, unsigned int n, unsigned int nbins) {
  extern __shared__ unsigned int h[];
  for (int b = threadIdx.x; b < nbins; b += blockDim.x) h[b] = 0;
  __syncthreads();
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&h[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < nbins; b += blockDim.x) atomicAdd(&bins[b], h[b]);
}
void go(unsigned int *in, unsigned int *bins, unsigned int n, unsigned int nbins) { cudaMemset(bins, 0, nbins * sizeof(unsigned int)); histogram<<<30, 512, nbins * sizeof(unsigned int)>>>(in, bins, n, nbins); }
