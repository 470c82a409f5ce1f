// Atomics under contention: each block counts its values in shared memory, then adds its counts to the global ones.
// values: count elements below 256; bins: 256 counts. Integers, so the result is exact.

extern "C" __global__ void histogram(const unsigned* values, unsigned* bins, int count)
{
    __shared__ unsigned block_bins[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) block_bins[bin] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&block_bins[values[i]], 1);
    __syncthreads();

    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) atomicAdd(&bins[bin], block_bins[bin]);
}
