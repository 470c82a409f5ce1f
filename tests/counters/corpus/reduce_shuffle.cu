// Block sums by warp shuffles: each warp adds in registers, the first warp adds the warps' sums.
// A grid-stride loop; totals: one sum per block.

__device__ double warp_sum(double value)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

extern "C" __global__ void reduce_shuffle(const double* values, double* totals, int count)
{
    __shared__ double sums[32];

    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += values[i];

    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    sum = warp_sum(sum);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();

    if (warp == 0) {
        sum = lane < blockDim.x / warpSize ? sums[lane] : 0.0;
        sum = warp_sum(sum);
        if (lane == 0) totals[blockIdx.x] = sum;
    }
}
