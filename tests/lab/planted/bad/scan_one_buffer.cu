// Running sum of one block's 256 elements, by Hillis and Steele.
// Reading and writing share one buffer with one barrier: a thread adds what may be the neighbour's new value.

#define THREADS 256

extern "C" __global__ void scan(const float* x, float* y)
{
    __shared__ float s[THREADS];
    int tid = threadIdx.x;
    s[tid] = x[tid];
    __syncthreads();

    for (int distance = 1; distance < THREADS; distance *= 2) {
        if (tid >= distance)
            s[tid] += s[tid - distance];  // planted: race
        __syncthreads();
    }
    y[tid] = s[tid];
}
