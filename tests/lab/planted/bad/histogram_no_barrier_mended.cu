// Histogram of n bytes in 64 bins; `bins` starts as 0.

extern "C" __global__ void histogram(const unsigned char* x, unsigned* bins, int n)
{
    __shared__ unsigned own[64];
    int tid = threadIdx.x;
    if (tid < 64)
        own[tid] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[x[i] / 4], 1);
    __syncthreads();

    if (tid < 64)
        atomicAdd(&bins[tid], own[tid]);
}
