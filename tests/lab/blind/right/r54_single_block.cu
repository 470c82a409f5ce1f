/*
 * Scalar product with ONE block only (256 threads) and float4 loads.
 * Condition: n is a multiple of 4 and the pointers come from cudaMalloc (16 byte aligned).
 */
__global__ void sdot_vec4(const float* x, const float* y, float* result, int n)
{
    __shared__ float sum[256];
    const float4* x4 = (const float4*)x;
    const float4* y4 = (const float4*)y;

    float s = 0.0f;
    for (int i = threadIdx.x; i < n / 4; i += 256) {
        float4 p = x4[i];
        float4 q = y4[i];
        s += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    sum[threadIdx.x] = s;
    __syncthreads();

    if (threadIdx.x < 128) sum[threadIdx.x] += sum[threadIdx.x + 128];
    __syncthreads();
    if (threadIdx.x < 64) sum[threadIdx.x] += sum[threadIdx.x + 64];
    __syncthreads();
    if (threadIdx.x < 32) {
        // last warp, without block barrier
        float v = sum[threadIdx.x] + sum[threadIdx.x + 32];
        for (int offset = 16; offset > 0; offset /= 2)
            v += __shfl_down_sync(0xffffffff, v, offset);
        if (threadIdx.x == 0)
            *result = v;
    }
}
