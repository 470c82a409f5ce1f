// One warp computes one element of C: the 32 lanes walk along k together and the
// partial sums are added up with shuffles. Good when K is long and M*N is small.
#include <cuda_runtime.h>

#define WARP 32
#define WARPS_PER_BLOCK 8

__inline__ __device__ float warpSum(float x)
{
    for (int off = WARP / 2; off > 0; off /= 2)
        x += __shfl_down_sync(0xffffffffu, x, off);
    return x;
}

__global__ void mmWarp(int M, int N, int K, const float* A, const float* B, float* C)
{
    int lane = threadIdx.x % WARP;
    int warp = blockIdx.x * WARPS_PER_BLOCK + threadIdx.x / WARP;   // number of the element

    if (warp < M * N) {            // the whole warp agrees
        int i = warp / N;
        int j = warp % N;
        float s = 0.0f;
        for (int k = lane; k < K; k += WARP)
            s += A[i * K + k] * B[k * N + j];
        s = warpSum(s);
        if (lane == 0)
            C[i * N + j] = s;
    }
}

void mm(int M, int N, int K, const float* dA, const float* dB, float* dC)
{
    int elements = M * N;
    int blocks = (elements + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;
    mmWarp<<<blocks, WARPS_PER_BLOCK * WARP>>>(M, N, K, dA, dB, dC);
}
