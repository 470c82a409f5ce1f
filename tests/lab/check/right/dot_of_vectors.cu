// n4 is the number of float4
__global__ void dot(const float4 *x, const float4 *y, float *sum, int n4)
{
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x)
        own += x[i].x * y[i].x + x[i].y * y[i].y + x[i].z * y[i].z + x[i].w * y[i].w;
    for (int d = 16; d > 0; d /= 2) own += __shfl_down_sync(0xffffffff, own, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}
