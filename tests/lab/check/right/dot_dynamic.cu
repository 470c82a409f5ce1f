__global__ void dot(const double *a, const double *b, double *partial, int n)
{
    extern __shared__ double cache[];
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    cache[threadIdx.x] = i < n ? a[i] * b[i] : 0.0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}
