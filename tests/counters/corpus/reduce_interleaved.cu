// Block sums, the slow way: at each step every second, fourth, eighth ... thread adds, so all warps diverge.
// totals: one sum per block of 256.

extern "C" __global__ void reduce_interleaved(const int* values, int* totals, int count)
{
    __shared__ int sums[256];

    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    sums[t] = i < count ? values[i] : 0;
    __syncthreads();

    for (int step = 1; step < blockDim.x; step *= 2) {
        if (t % (2 * step) == 0) sums[t] += sums[t + step];
        __syncthreads();
    }
    if (t == 0) totals[blockIdx.x] = sums[0];
}
