// Histogram of n bytes in 64 bins; `bins` starts as 0.
// Style: lanes with equal values agree on one that counts for all of them (match, ballot, popc), shared atomics.

extern "C" __global__ void histogram(const unsigned char* x, unsigned* bins, int n)
{
    __shared__ unsigned own[64];
    int tid = threadIdx.x, lane = tid % 32;
    for (int bin = tid; bin < 64; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) {
        int bin = x[i] / 4;
        unsigned equals = __match_any_sync(__activemask(), bin);
        if (lane == __ffs(equals) - 1)
            atomicAdd(&own[bin], __popc(equals));
    }
    __syncthreads();

    for (int bin = tid; bin < 64; bin += blockDim.x)
        atomicAdd(&bins[bin], own[bin]);
}
