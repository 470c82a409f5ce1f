__inline__ __device__ float warp_sum(float v)
{
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o);
    return v;
}
__global__ void dot(const float *x, const float *y, float *result, int n)
{
    __shared__ float parts[32];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += x[i] * y[i];
    s = warp_sum(s);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = s;
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
        s = warp_sum(s);
        if (threadIdx.x == 0) result[blockIdx.x] = s;
    }
}
