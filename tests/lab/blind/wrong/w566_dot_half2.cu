// Dot product of two half vectors, two elements at a time with half2.
//
// n2 = number of half2 pairs, up to 1 << 23 (so 16M halves); values in [0, 1].
// *result is float and must be set to 0 first.
// Launch: dot_half2<<<8, 128>>>(a, b, result, n2);
#include <cuda_runtime.h>
#include <cuda_fp16.h>

#define BLOCK_THREADS 128
#define FULL_MASK 0xffffffff

__global__ void dot_half2(const __half2 *a, const __half2 *b, float *result, int n2)
{
    __shared__ float warp_sum[BLOCK_THREADS / 32];

    // fused multiply-add does both halves in one instruction
    __half2 acc = __float2half2_rn(0.0f);
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n2; i += stride)
        acc = __hfma2(a[i], b[i], acc);

    // go to float for the reduction
    float sum = __low2float(acc) + __high2float(acc);
    for (int off = 16; off > 0; off >>= 1)
        sum += __shfl_down_sync(FULL_MASK, sum, off);

    if (threadIdx.x % 32 == 0)
        warp_sum[threadIdx.x / 32] = sum;
    __syncthreads();

    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int w = 0; w < BLOCK_THREADS / 32; w++)
            total += warp_sum[w];
        atomicAdd(result, total);
    }
}
