// Whether any of n elements is negative; `found` starts as 0.

extern "C" __global__ void any_negative(const float* x, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] < 0)
        atomicOr(found, 1);
}
