// Sum of n elements in one launch: the block that finishes last adds up the sums of all blocks. `arrived` starts as 0.
// Nothing makes a block's sum visible to the last block before it is counted.

#define THREADS 128

extern "C" __global__ void sum(const float* x, float* sums, unsigned* arrived, float* result, int n)
{
    __shared__ float tile[THREADS];
    __shared__ bool is_last;
    int tid = threadIdx.x;

    float own = 0;
    for (int i = blockIdx.x * THREADS + tid; i < n; i += gridDim.x * THREADS)
        own += x[i];
    tile[tid] = own;
    __syncthreads();
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            tile[tid] += tile[tid + stride];
        __syncthreads();
    }

    if (tid == 0) {
        sums[blockIdx.x] = tile[0];  // planted: race
        is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();

    if (is_last && tid == 0) {
        float total = 0;
        for (int block = 0; block < gridDim.x; ++block)
            total += sums[block];  // planted: race
        *result = total;
    }
}
