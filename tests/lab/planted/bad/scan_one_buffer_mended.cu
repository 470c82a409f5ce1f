// Running sum of one block's 256 elements, by Hillis and Steele.

#define THREADS 256

extern "C" __global__ void scan(const float* x, float* y)
{
    __shared__ float s[THREADS];
    int tid = threadIdx.x;
    s[tid] = x[tid];
    __syncthreads();

    for (int distance = 1; distance < THREADS; distance *= 2) {
        float left = tid >= distance ? s[tid - distance] : 0;
        __syncthreads();
        s[tid] += left;
        __syncthreads();
    }
    y[tid] = s[tid];
}
