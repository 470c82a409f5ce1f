// C[m][n] = A[m][k] * Bt[n][k]^T    (B comes already transposed, both operands half,
// result and running sum float).  One warp walks over one row of C.
#include <cuda_fp16.h>

static constexpr int kWarpsPerBlock = 4;

__device__ float warp_total(float v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void half_gemm_nt(const __half* A, const __half* Bt, float* C, int m, int n, int k)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int lane = threadIdx.x & 31;
    if (warp >= m) return;          // whole warps leave, never part of one

    const __half* a = A + (size_t)warp * k;
    float mine = 0.f;               // the result this lane keeps for the next store

    for (int j = 0; j < n; ++j) {
        const __half* b = Bt + (size_t)j * k;
        float part = 0.f;
        for (int p = lane; p < k; p += 32)
            part += __half2float(a[p]) * __half2float(b[p]);
        part = warp_total(part);

        // collect 32 neighbours and store them together
        if ((j & 31) == lane) mine = part;
        if ((j & 31) == 31)
            C[(size_t)warp * n + (j - 31) + lane] = mine;
    }

    const int rest = n & 31;
    if (lane < rest)
        C[(size_t)warp * n + (n - rest) + lane] = mine;
}

void half_gemm_nt_launch(const __half* A, const __half* Bt, float* C,
                         int m, int n, int k, cudaStream_t s = 0)
{
    int blocks = (m + kWarpsPerBlock - 1) / kWarpsPerBlock;
    half_gemm_nt<<<blocks, 32 * kWarpsPerBlock, 0, s>>>(A, Bt, C, m, n, k);
}
