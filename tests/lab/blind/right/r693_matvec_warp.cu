// Assignment 4b: y = A * x, one warp computes one row.
//
// A is rows x cols, row-major, with leading dimension lda >= cols.
// Launch: 1D blocks, blockDim.x any multiple of 32 up to 1024;
//         1 to 65535 blocks (warps take rows in a strided loop).
//         matvec_warp<<<blocks, threads>>>(A, lda, x, y, rows, cols);

#define FULL_MASK 0xffffffffu

__device__ __forceinline__ float warpSum(float v)
{
    #pragma unroll
    for (int d = 16; d >= 1; d /= 2)
        v += __shfl_xor_sync(FULL_MASK, v, d);
    return v;            // every lane has the total
}

__global__ void matvec_warp(const float* __restrict__ A, int lda,
                            const float* __restrict__ x,
                            float* __restrict__ y,
                            int rows, int cols)
{
    const int lane     = threadIdx.x & 31;
    const int warpId   = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int numWarps = (gridDim.x * blockDim.x) >> 5;

    for (int r = warpId; r < rows; r += numWarps)   // same r in the whole warp
    {
        const float* rowPtr = A + (size_t)r * lda;
        float acc = 0.0f;
        for (int c = lane; c < cols; c += 32)
            acc += rowPtr[c] * x[c];

        acc = warpSum(acc);
        if (lane == 0)
            y[r] = acc;
    }
}
