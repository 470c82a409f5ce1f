// The place of the largest value: value and place packed into 64 bits, so that one atomicMax decides both.
// Bits of floats are reordered to compare as unsigned integers; of equal values the first place wins.

__device__ unsigned long long packed(float value, unsigned place)
{
    unsigned bits = __float_as_uint(value);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (unsigned long long)bits << 32 | ~place;
}

extern "C" __global__ void argmax(const float* values, unsigned long long* best, int count)
{
    unsigned long long own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        own = max(own, packed(values[i], i));
    for (int offset = 16; offset > 0; offset /= 2) own = max(own, __shfl_xor_sync(0xffffffff, own, offset));
    if (threadIdx.x % 32 == 0) atomicMax(best, own);
}
