// Dot product: each block adds up 256 products as a tree; the host adds the blocks' sums.
// Threads behind the end of the vectors leave their place in shared memory as it was.

#define THREADS 256

extern "C" __global__ void dot(const float* a, const float* b, float* sums, int n)
{
    __shared__ float products[THREADS];
    int tid = threadIdx.x;
    int i = blockIdx.x * THREADS + tid;

    if (i < n)
        products[tid] = a[i] * b[i];
    __syncthreads();

    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            products[tid] += products[tid + stride];  // planted: uninitialised read
        __syncthreads();
    }
    if (tid == 0)
        sums[blockIdx.x] = products[0];
}
