// Exact dot product of 32-bit integers in 64 bits.
// *result has to be 0 before the launch. Use any grid and a block size that is
// a multiple of 32.

__global__ void dot_i64(const int *__restrict__ left,
                        const int *__restrict__ right,
                        unsigned int n,
                        long long *result)
{
    size_t position = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t hop = (size_t)gridDim.x * blockDim.x;

    long long sum = 0;
    while (position < n) {
        sum += (long long)left[position] * right[position];
        position += hop;
    }

    sum += __shfl_xor_sync(0xffffffff, sum, 16);
    sum += __shfl_xor_sync(0xffffffff, sum, 8);
    sum += __shfl_xor_sync(0xffffffff, sum, 4);
    sum += __shfl_xor_sync(0xffffffff, sum, 2);
    sum += __shfl_xor_sync(0xffffffff, sum, 1);

    // one atomic per warp, two's complement makes the cast harmless
    if (threadIdx.x % 32 == 0)
        atomicAdd((unsigned long long *)result, (unsigned long long)sum);
}
