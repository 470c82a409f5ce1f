// Sum of n elements with a single block.
// The barrier stands in a loop that some threads leave earlier than others.

#define THREADS 256

extern "C" __global__ void sum(const float* x, float* result, int n)
{
    __shared__ float tile[THREADS];
    int tid = threadIdx.x;

    tile[tid] = 0;
    for (int i = tid; i < n; i += THREADS) {
        tile[tid] += x[i];
        __syncthreads();  // planted: barrier not reached
    }
    __syncthreads();  // also: barrier not reached

    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            tile[tid] += tile[tid + stride];  // also: race
        __syncthreads();  // also: barrier not reached
    }
    if (tid == 0)
        *result = tile[0];  // also: race
}
