// Dot product: each block adds up 256 products as a tree; the host adds the blocks' sums.

#define THREADS 256

extern "C" __global__ void dot(const float* a, const float* b, float* sums, int n)
{
    __shared__ float products[THREADS];
    int tid = threadIdx.x;
    int i = blockIdx.x * THREADS + tid;

    products[tid] = i < n ? a[i] * b[i] : 0;
    __syncthreads();

    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            products[tid] += products[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = products[0];
}
