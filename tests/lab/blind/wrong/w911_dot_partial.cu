// part[b] = sum over block b of a[i] * b[i]; add up part[] afterwards.
// kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, part, n), n > 0
#define BLOCK 128

__global__ void dotParts(const float* a, const float* b, float* part, int n)
{
    __shared__ float prod[BLOCK];
    int tid = threadIdx.x;
    int i = blockIdx.x * BLOCK + tid;

    if (i >= n)
        return;
    prod[tid] = a[i] * b[i];
    __syncthreads();

    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (tid < s)
            prod[tid] += prod[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        part[blockIdx.x] = prod[0];
}
