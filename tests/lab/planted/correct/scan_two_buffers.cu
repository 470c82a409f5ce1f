// Running sum of one block's 256 elements, by Hillis and Steele, between two buffers.
// Style: two halves of one shared array that swap roles, one barrier per step.

#define THREADS 256

extern "C" __global__ void scan(const float* x, float* y)
{
    __shared__ float s[2 * THREADS];
    int tid = threadIdx.x;
    int from = 0, to = THREADS;
    s[from + tid] = x[tid];
    __syncthreads();

    for (int distance = 1; distance < THREADS; distance *= 2) {
        s[to + tid] = s[from + tid] + (tid >= distance ? s[from + tid - distance] : 0);
        __syncthreads();
        int swap = from;
        from = to;
        to = swap;
    }
    y[tid] = s[from + tid];
}
