// A sum in one launch: the block that finishes last adds the partial sums of all.
// __threadfence makes a partial sum visible before the block is counted as finished; atomicInc wraps to 0.

__device__ unsigned finished_blocks;

__device__ unsigned block_sum(unsigned value, unsigned* sums)
{
    sums[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    return sums[0];
}

extern "C" __global__ void reduce_last_block(
    const unsigned* values, volatile unsigned* partial, unsigned* total, unsigned count)
{
    __shared__ unsigned sums[128];
    __shared__ bool is_last;

    unsigned sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += values[i];
    sum = block_sum(sum, sums);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&finished_blocks, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();

    if (is_last) {
        sum = block_sum(threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0, sums);
        if (threadIdx.x == 0) *total = sum;
    }
}
