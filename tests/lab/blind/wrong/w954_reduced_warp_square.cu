// Sums of the 2 x 2 squares of A*B. A thread computes one element of the full product
// (2m x 2n); the four lanes of a square are in the same warp and exchange by shuffle.
// Launch: block (8, 16), grid (ceil(2n / 8), ceil(2m / 16)). Any m, n, k >= 1.
#include <cuda_runtime.h>

#define BW 8
#define BH 16
#define DEEP 8

__global__ void squares(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float a[BH][DEEP];
    __shared__ float b[DEEP][BW];

    const int lx = threadIdx.x, ly = threadIdx.y;
    const int fr = blockIdx.y * BH + ly;
    const int fc = blockIdx.x * BW + lx;

    float e = 0.0f;
    for (int k0 = 0; k0 < k; k0 += DEEP) {
        a[ly][lx] = (fr < 2 * m && k0 + lx < k) ? A[fr * k + k0 + lx] : 0.0f;
        if (ly < DEEP)
            b[ly][lx] = (k0 + ly < k && fc < 2 * n) ? B[(k0 + ly) * 2 * n + fc] : 0.0f;
        __syncthreads();
        for (int q = 0; q < DEEP; ++q)
            e += a[ly][q] * b[q][lx];
        __syncthreads();
    }

    e += __shfl_xor_sync(0xffffffffu, e, 1);
    e += __shfl_xor_sync(0xffffffffu, e, 16);

    if (lx % 2 == 0 && ly % 2 == 0 && fr < 2 * m && fc < 2 * n)
        C[(fr / 2) * n + fc / 2] = e;
}
