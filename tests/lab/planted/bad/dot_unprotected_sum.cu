// Dot product of n elements; the result starts as 0.
// All threads add to the result at the same time.

extern "C" __global__ void dot(const float* a, const float* b, float* result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        *result += a[i] * b[i];  // planted: race
}
