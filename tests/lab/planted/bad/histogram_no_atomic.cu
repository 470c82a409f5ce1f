// Histogram of n bytes in 64 bins; `bins` starts as 0.
// Two threads with the same value read the same count, and one of their increments is lost.

extern "C" __global__ void histogram(const unsigned char* x, unsigned* bins, int n)
{
    __shared__ unsigned own[64];
    int tid = threadIdx.x;
    if (tid < 64)
        own[tid] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        own[x[i] / 4]++;  // planted: race
    __syncthreads();

    if (tid < 64)
        atomicAdd(&bins[tid], own[tid]);
}
