// Dot product: a tree in shared memory whose last steps belong to one warp, which waits for itself alone.
// Style: __syncwarp, volatile shared memory.

#define THREADS 128

extern "C" __global__ void dot(const float* a, const float* b, float* sums, int n)
{
    __shared__ volatile float tile[THREADS];
    int tid = threadIdx.x;

    float sum = 0;
    for (int i = blockIdx.x * THREADS + tid; i < n; i += gridDim.x * THREADS)
        sum += a[i] * b[i];
    tile[tid] = sum;
    __syncthreads();

    if (tid < 64)
        tile[tid] = sum = sum + tile[tid + 64];
    __syncthreads();

    if (tid < 32) {
        for (int stride = 32; stride > 0; stride /= 2) {
            float other = tile[tid + stride];
            __syncwarp();
            tile[tid] = sum = sum + other;
            __syncwarp();
        }
        if (tid == 0)
            sums[blockIdx.x] = sum;
    }
}
