// dot product in double, warp shuffles and one atomicAdd per warp
// *out must be set to 0 before the launch; blockDim.x is a multiple of 32
__device__ __forceinline__ double warpSum(double x)
{
    for (int off = 16; off; off >>= 1)
        x += __shfl_xor_sync(0xffffffffu, x, off);
    return x;
}

__global__ void dotWarp(const double *x, const double *y, double *out, size_t n)
{
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t jump = (size_t)gridDim.x * blockDim.x;
    double mine = 0.0;
    for (size_t i = first; i < n; i += jump)
        mine = fma(x[i], y[i], mine);
    mine = warpSum(mine);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(out, mine);
}
