// histogram of byte values with privatisation in shared memory
// hist must be set to zero by the caller

#define NUM_BINS 256

__global__ void histogram(const unsigned char *data, unsigned int *hist, int n)
{
    __shared__ unsigned int bins[NUM_BINS];

    // clear the private copy
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        bins[b] = 0;

    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[data[i]], 1u);
    __syncthreads();

    // merge
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        if (bins[b] > 0)
            atomicAdd(&hist[b], bins[b]);
}

void compute_histogram(const unsigned char *d_data, unsigned int *d_hist, int n)
{
    cudaMemset(d_hist, 0, NUM_BINS * sizeof(unsigned int));
    histogram<<<48, 512>>>(d_data, d_hist, n);
}
