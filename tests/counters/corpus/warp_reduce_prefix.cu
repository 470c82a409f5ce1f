// Where each warp of a block may write: sums within a warp by __reduce_add_sync, then prefixes of these sums in warp 0.
// starts: per warp, the sum of the sizes of all warps before it in the block; largest: per block.

extern "C" __global__ void warp_reduce_prefix(const unsigned* sizes, unsigned* starts, unsigned* largest)
{
    __shared__ unsigned sums[32], maxima[32];

    unsigned size = sizes[blockIdx.x * blockDim.x + threadIdx.x];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    unsigned sum = __reduce_add_sync(0xffffffff, size);
    unsigned maximum = __reduce_max_sync(0xffffffff, size);
    if (lane == 0) {
        sums[warp] = sum;
        maxima[warp] = maximum;
    }
    __syncthreads();
    if (warp > 0) return;

    unsigned own = lane < warps ? sums[lane] : 0, start = 0;
    for (int i = 0; i < warps; ++i) {
        unsigned before = __reduce_add_sync(0xffffffff, lane < i ? own : 0);
        if (lane == i) start = before;
    }
    maximum = __reduce_max_sync(0xffffffff, lane < warps ? maxima[lane] : 0);
    if (lane < warps) starts[blockIdx.x * warps + lane] = start;
    if (lane == 0) largest[blockIdx.x] = maximum;
}
