// Dot product: the warps add up their products by shuffles, then the first warp adds the sums of the warps.

extern "C" __global__ void dot(const float* a, const float* b, float* sums, int n)
{
    __shared__ float of_warp[8];
    int tid = threadIdx.x, lane = tid % 32;

    float sum = 0;
    for (int i = blockIdx.x * 256 + tid; i < n; i += gridDim.x * 256)
        sum += a[i] * b[i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0)
        of_warp[tid / 32] = sum;
    __syncthreads();

    if (tid < 8) {
        sum = of_warp[tid];
        for (int distance = 4; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0x000000ff, sum, distance);
        if (tid == 0)
            sums[blockIdx.x] = sum;
    }
    __syncthreads();
}
