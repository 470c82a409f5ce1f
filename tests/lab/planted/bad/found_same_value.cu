// Whether any of n elements is negative; `found` starts as 0.
// Many threads store the same 1: the result is right, and yet it is a race.

extern "C" __global__ void any_negative(const float* x, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] < 0)
        *found = 1;  // planted: race
}
