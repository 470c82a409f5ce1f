// dot.cu -- small vectors only, a single block does everything.
// The number of threads may be anything from 1 to 1024 (it need not be a power of two).
__global__ void dot1(const float *u, const float *v, int n, float *result)
{
    extern __shared__ float acc[];          // one float per thread
    int t = threadIdx.x;

    float mine = 0;
    const float *end = u + n;
    for (u += t, v += t; u < end; u += blockDim.x, v += blockDim.x)
        mine += *u * *v;
    acc[t] = mine;
    __syncthreads();

    int alive = blockDim.x;
    while (alive > 1) {
        int keep = (alive + 1) / 2;         // the middle one of an odd count just waits
        if (t < alive / 2)
            acc[t] += acc[t + keep];
        __syncthreads();
        alive = keep;
    }
    if (t == 0)
        *result = acc[0];
}

void dot_small(const float *d_u, const float *d_v, int n, float *d_result, int threads)
{
    dot1<<<1, threads, threads * sizeof(float)>>>(d_u, d_v, n, d_result);
}
