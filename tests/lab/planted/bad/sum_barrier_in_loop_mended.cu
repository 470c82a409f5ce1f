// Sum of n elements with a single block.

#define THREADS 256

extern "C" __global__ void sum(const float* x, float* result, int n)
{
    __shared__ float tile[THREADS];
    int tid = threadIdx.x;

    tile[tid] = 0;
    for (int i = tid; i < n; i += THREADS) {
        tile[tid] += x[i];
    }
    __syncthreads();

    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            tile[tid] += tile[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        *result = tile[0];
}
