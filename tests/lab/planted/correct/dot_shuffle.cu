// Dot product: the lanes of a warp add up by shuffles, then the first warp adds up the sums of the warps.
// Style: warp shuffles with full and with partial masks.

#define THREADS 256

extern "C" __global__ void dot(const float* a, const float* b, float* sums, int n)
{
    __shared__ float of_warp[THREADS / 32];
    int tid = threadIdx.x, lane = tid % 32;

    float sum = 0;
    for (int i = blockIdx.x * THREADS + tid; i < n; i += gridDim.x * THREADS)
        sum += a[i] * b[i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, distance);
    if (lane == 0)
        of_warp[tid / 32] = sum;
    __syncthreads();

    if (tid < THREADS / 32) {
        sum = of_warp[tid];
        for (int distance = THREADS / 64; distance > 0; distance /= 2)
            sum += __shfl_xor_sync((1u << THREADS / 32) - 1, sum, distance);
        if (tid == 0)
            sums[blockIdx.x] = sum;
    }
}
