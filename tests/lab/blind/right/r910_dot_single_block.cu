// Dot product by ONE block; blockDim.x is a multiple of 32, up to 1024. Any n >= 0.
// launch: dot1<<<1, 512>>>(x, y, n, result);

__inline__ __device__ float warpTotal(float v)
{
    for (int d = warpSize / 2; d; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;      // valid in lane 0
}

__global__ void dot1(const float* x, const float* y, int n, float* result)
{
    __shared__ float perWarp[32];
    int warp = threadIdx.x >> 5;
    int lane = threadIdx.x & 31;

    float mine = 0.f;
    int i = threadIdx.x;
    // two elements per trip, then the odd one
    for (; i + (int)blockDim.x < n; i += 2 * blockDim.x)
        mine += x[i] * y[i] + x[i + blockDim.x] * y[i + blockDim.x];
    if (i < n)
        mine += x[i] * y[i];

    mine = warpTotal(mine);
    if (lane == 0) perWarp[warp] = mine;
    __syncthreads();

    if (warp == 0) {
        float v = lane < (blockDim.x >> 5) ? perWarp[lane] : 0.f;
        v = warpTotal(v);
        if (lane == 0) *result = v;
    }
}
