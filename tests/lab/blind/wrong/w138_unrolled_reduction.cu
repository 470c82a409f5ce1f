// Dot product, partial sum per block (the caller adds the partial sums).
// blockDim.x = 256, any number of blocks.

__global__ void dot_unrolled(const float *a, const float *b, float *partial, int n)
{
    __shared__ float sdata[256];
    unsigned int tid = threadIdx.x;

    float x = 0.0f;
    for (int i = blockIdx.x * 256 + tid; i < n; i += 256 * gridDim.x)
        x += a[i] * b[i];
    sdata[tid] = x;
    __syncthreads();

    if (tid < 128) sdata[tid] += sdata[tid + 128];
    __syncthreads();
    if (tid < 64) sdata[tid] += sdata[tid + 64];
    __syncthreads();

    // the last warp
    if (tid < 32) {
        sdata[tid] += sdata[tid + 32];
        sdata[tid] += sdata[tid + 16];
        sdata[tid] += sdata[tid + 8];
        sdata[tid] += sdata[tid + 4];
        sdata[tid] += sdata[tid + 2];
        sdata[tid] += sdata[tid + 1];
    }

    if (tid == 0)
        partial[blockIdx.x] = sdata[0];
}
