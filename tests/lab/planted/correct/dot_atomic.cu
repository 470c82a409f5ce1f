// Dot product: every block adds its sum to the result, which starts as 0.
// Style: atomics in shared and in global memory.

extern "C" __global__ void dot(const float* a, const float* b, float* result, int n)
{
    __shared__ float sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sum, a[i] * b[i]);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicAdd(result, sum);
}
