// Inclusive prefix sums within each block, Hillis and Steele: log2 steps, each thread adds its neighbor at 1, 2, 4 ...
// Two buffers, so that one barrier per step is enough.

#define BLOCK 256

extern "C" __global__ void scan_hillis_steele(const int* values, int* out, int count)
{
    __shared__ int sums[2][BLOCK];

    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    int from = 0;
    sums[from][t] = i < count ? values[i] : 0;
    __syncthreads();

    for (int step = 1; step < BLOCK; step *= 2) {
        sums[1 - from][t] = t >= step ? sums[from][t] + sums[from][t - step] : sums[from][t];
        from = 1 - from;
        __syncthreads();
    }
    if (i < count) out[i] = sums[from][t];
}
