// Dot product: each warp reduces with shuffles, then the first warp reduces the
// warp results and adds to *result.
// Launch: any grid, blockDim.x any multiple of 32 up to 1024; *result = 0 before.

__inline__ __device__ float reduceWarp(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

__global__ void dotBlock(const float *a, const float *b, float *result, int n)
{
    __shared__ float perWarp[16];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    float acc = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        acc += a[i] * b[i];

    acc = reduceWarp(acc);
    if (lane == 0)
        perWarp[warp] = acc;
    __syncthreads();

    if (warp == 0) {
        int warps = blockDim.x / 32;
        acc = (lane < warps) ? perWarp[lane] : 0.0f;
        acc = reduceWarp(acc);
        if (lane == 0)
            atomicAdd(result, acc);
    }
}
