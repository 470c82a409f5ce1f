// Convolution of n elements with a filter of 5; what lies outside counts as 0.
// Style: constant memory, a tile with a halo, threads that return after the last barrier.

#define RADIUS 2
#define THREADS 128

__constant__ float weights[2 * RADIUS + 1];

extern "C" __global__ void convolve(const float* x, float* y, int n)
{
    __shared__ float tile[THREADS + 2 * RADIUS];
    int tid = threadIdx.x;
    int first = blockIdx.x * THREADS - RADIUS;
    for (int at = tid; at < THREADS + 2 * RADIUS; at += THREADS)
        tile[at] = first + at >= 0 && first + at < n ? x[first + at] : 0;
    __syncthreads();

    int i = blockIdx.x * THREADS + tid;
    if (i >= n)
        return;
    float sum = 0;
    for (int j = 0; j < 2 * RADIUS + 1; ++j)
        sum += weights[j] * tile[tid + j];
    y[i] = sum;
}
