#include <cuda_runtime.h>
// Reduced matrix product. A thread computes one element of the full 2m x 2n product;
// the four threads of a 2 x 2 square lie in one warp and add their elements by shuffles.

#define FULL 0xffffffffu

template <int BW, int BH>
__global__ void reduceByShuffle(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float tA[BH][BW];
    __shared__ float tB[BW][BW];

    const int fr = blockIdx.y * BH + threadIdx.y;     // row of the full product
    const int fc = blockIdx.x * BW + threadIdx.x;     // column of the full product

    float e = 0.f;
    for (int p = 0; p < k; p += BW) {
        tA[threadIdx.y][threadIdx.x] =
            (fr < 2 * m && p + threadIdx.x < k) ? A[fr * k + p + threadIdx.x] : 0.f;
        for (int r = threadIdx.y; r < BW; r += BH)
            tB[r][threadIdx.x] = (p + r < k && fc < 2 * n) ? B[(p + r) * 2 * n + fc] : 0.f;
        __syncthreads();
        for (int q = 0; q < BW; ++q)
            e += tA[threadIdx.y][q] * tB[q][threadIdx.x];
        __syncthreads();
    }

    e += __shfl_xor_sync(FULL, e, 1);       // left and right
    e += __shfl_xor_sync(FULL, e, 16);      // upper and lower

    if (fr % 2 == 0 && fc % 2 == 0 && fr < 2 * m && fc < 2 * n)
        C[(fr / 2) * n + fc / 2] = e;
}

void reducedMatmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    constexpr int BW = 8, BH = 16;
    dim3 block(BW, BH);
    dim3 grid((2 * n + BW - 1) / BW, (2 * m + BH - 1) / BH);
    reduceByShuffle<BW, BH><<<grid, block>>>(A, B, C, m, n, k);
}
