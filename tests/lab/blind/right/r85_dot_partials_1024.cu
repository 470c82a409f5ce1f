// Dot product of two vectors of length n, one partial result per block.
// Launch with exactly 1024 threads per block; the partials are added on the host.
// n may be anything.

__inline__ __device__ double warpReduce(double val)
{
    #pragma unroll
    for (int d = 1; d < warpSize; d <<= 1)
        val += __shfl_xor_sync(0xFFFFFFFF, val, d);
    return val;
}

__global__ void __launch_bounds__(1024)
dot_partials(const double *__restrict__ u, const double *__restrict__ v,
             double *__restrict__ partials, size_t n)
{
    __shared__ double warpSums[32];

    size_t gid = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)blockDim.x * gridDim.x;
    double acc = 0.0;
    while (gid < n) {
        acc += u[gid] * v[gid];
        gid += step;
    }

    unsigned lane = threadIdx.x & 31u;
    unsigned wid  = threadIdx.x >> 5;

    acc = warpReduce(acc);
    if (lane == 0) warpSums[wid] = acc;
    __syncthreads();

    if (wid == 0) {
        acc = warpReduce(warpSums[lane]);     // 32 warps <-> 32 lanes
        if (lane == 0) partials[blockIdx.x] = acc;
    }
}
