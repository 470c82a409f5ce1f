/* Scalar product in two steps.
   Step 1: dot_partial, 256 threads per block, any number of blocks up to 256,
           writes one partial sum per block.
   Step 2: dot_final, one block of 256 threads, adds the partial sums.
*/
#define NTHREADS 256

__device__ void block_sum(float *s, int t)
{
    // tree reduction in shared memory, the sum lands in s[0]
    for (int half = NTHREADS / 2; half >= 1; half = half / 2) {
        __syncthreads();
        if (t < half)
            s[t] = s[t] + s[t + half];
    }
    __syncthreads();
}

__global__ void dot_partial(const float *v, const float *w, float *partial, int n)
{
    __shared__ float s[NTHREADS];
    int t = threadIdx.x;
    float p = 0.0f;
    for (int i = blockIdx.x * NTHREADS + t; i < n; i += NTHREADS * gridDim.x)
        p += v[i] * w[i];
    s[t] = p;
    block_sum(s, t);
    if (t == 0)
        partial[blockIdx.x] = s[0];
}

__global__ void dot_final(const float *partial, float *result, int numPartial)
{
    __shared__ float s[NTHREADS];
    int t = threadIdx.x;
    s[t] = t < numPartial ? partial[t] : 0.0f;
    block_sum(s, t);
    if (t == 0)
        *result = s[0];
}
