// Whether any of n elements is negative; `found` starts as 0.
// Style: votes of a warp and of a block, one thread that stores.

extern "C" __global__ void any_negative(const float* x, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool is_negative = i < n && x[i] < 0;
    bool in_warp = __any_sync(0xffffffff, is_negative);
    int warps = __syncthreads_count(in_warp && threadIdx.x % 32 == 0);
    if (threadIdx.x == 0 && warps > 0)
        atomicMax(found, 1);
}
