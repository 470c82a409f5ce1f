// Dot product with vector loads; n arbitrary, pointers from cudaMalloc (aligned).
// *sum must be zero before. Launch: any number of blocks, 256 threads.
#define BLOCK_THREADS 256

__global__ void dotVec4(const float *a, const float *b, float *sum, int n)
{
    __shared__ float cache[BLOCK_THREADS];
    const float4 *a4 = (const float4 *)a;
    const float4 *b4 = (const float4 *)b;
    const int nVec = n / 4;
    const int tid = blockIdx.x * BLOCK_THREADS + threadIdx.x;
    const int step = gridDim.x * BLOCK_THREADS;

    float s = 0.0f;
    for (int i = tid; i < nVec; i += step) {
        float4 p = a4[i], q = b4[i];
        s += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    // up to three elements are left over
    const int rest = 4 * nVec + tid;
    if (rest < n)
        s += a[rest] * b[rest];

    cache[threadIdx.x] = s;
    __syncthreads();
    for (int half = BLOCK_THREADS >> 1; half >= 32; half >>= 1) {
        if (threadIdx.x < half) cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        float w = cache[threadIdx.x];
        for (int d = 16; d; d >>= 1) w += __shfl_down_sync(0xffffffffu, w, d);
        if (threadIdx.x == 0) atomicAdd(sum, w);
    }
}
