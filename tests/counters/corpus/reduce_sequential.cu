// Block sums by halves: the first threads stay busy, whole warps drop out. Each thread loads two elements.
// totals: one sum per block of 128 threads and 256 elements.

extern "C" __global__ void reduce_sequential(const float* values, float* totals, int count)
{
    extern __shared__ float sums[];

    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x * 2 + t;
    float sum = 0.0f;
    if (i < count) sum = values[i];
    if (i + blockDim.x < count) sum += values[i + blockDim.x];
    sums[t] = sum;
    __syncthreads();

    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0) totals[blockIdx.x] = sums[0];
}
