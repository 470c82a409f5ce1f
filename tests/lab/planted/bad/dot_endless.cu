// Dot product: each block adds up the products of its threads as a tree; the host adds the blocks' sums.
// The stride ends at 0, and 0 / 2 is 0 again: the loop goes on forever.

#define THREADS 128

extern "C" __global__ void dot(const float* a, const float* b, float* sums, int n)
{
    __shared__ float tile[THREADS];
    int tid = threadIdx.x;

    float sum = 0;
    for (int i = blockIdx.x * THREADS + tid; i < n; i += gridDim.x * THREADS)
        sum += a[i] * b[i];
    tile[tid] = sum;
    __syncthreads();

    for (int stride = THREADS / 2; stride >= 0; stride /= 2) {  // cause
        if (tid < stride)                     // planted: endless loop
            tile[tid] += tile[tid + stride];  // planted: endless loop
        __syncthreads();                      // planted: endless loop
    }
    if (tid == 0)
        sums[blockIdx.x] = tile[0];
}
