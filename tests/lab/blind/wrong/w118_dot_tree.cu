// Tiled dot product, *out must be 0 at the start.
// Launch with any number of blocks and blockDim.x a power of two, third launch
// parameter blockDim.x * sizeof(double).

__global__ void dot(double *out, const double *a, const double *b, long n)
{
    extern __shared__ double tile[];
    const int tid = threadIdx.x;
    const long stride = (long)gridDim.x * blockDim.x;

    double mine = 0.0;
    for (long i = (long)blockIdx.x * blockDim.x + tid; i < n; i += stride)
        mine += a[i] * b[i];
    tile[tid] = mine;
    __syncthreads();

    for (int s = blockDim.x / 2; s >= 0; s >>= 1) {
        if (tid < s)
            tile[tid] += tile[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(out, tile[0]);
}
