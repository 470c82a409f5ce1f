// integer dot product; *result has to be 0 before the launch
// any length n, any block size up to 512 that is a power of two
__global__ void dot_int(const int *u, const int *v, long long *partial_unused, int *result, unsigned n)
{
    __shared__ int cache[512];

    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned t = threadIdx.x;

    (void)partial_unused;      // was needed by the first version

    int p = 0;
    while (i < n) {
        p += u[i] * v[i];
        i += gridDim.x * blockDim.x;
    }
    cache[t] = p;
    __syncthreads();

    // interleaved tree
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0)
            cache[t] += cache[t + s];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(result, cache[0]);
}
