// Dot product of n elements; the result starts as 0.

extern "C" __global__ void dot(const float* a, const float* b, float* result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(result, a[i] * b[i]);
}
