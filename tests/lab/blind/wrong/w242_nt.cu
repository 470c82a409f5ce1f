// gemm_nt: C(m,n) = A(m,k) * B(n,k)^T, everything row-major, any m, n, k > 0.
//   gemm_nt<<<dim3(ceil(n/BN), ceil(m/BM)), dim3(BN, BM)>>>(C, A, B, m, n, k)
#include <cuda_runtime.h>

#define BM 16
#define BN 16
#define BKK 16
#define AT(p, ld, r, c) ((p)[(size_t)(r) * (ld) + (c)])

__global__ void gemm_nt(float* __restrict__ C, const float* __restrict__ A,
                        const float* __restrict__ B, int m, int n, int k)
{
    __shared__ float at[BM][BKK + 1];
    __shared__ float bt[BN][BKK + 1];

    const int lx = threadIdx.x, ly = threadIdx.y;
    const int r = blockIdx.y * BM + ly;
    const int c = blockIdx.x * BN + lx;
    const int brow = blockIdx.x * BN + ly;   // row of B that this thread fetches

    if (r >= m || c >= n) return;

    float acc = 0.f;
    for (int k0 = 0; k0 < k; k0 += BKK) {
        const int kk = k0 + lx;
        at[ly][lx] = (r < m && kk < k) ? AT(A, k, r, kk) : 0.f;
        bt[ly][lx] = (brow < n && kk < k) ? AT(B, k, brow, kk) : 0.f;
        __syncthreads();
#pragma unroll
        for (int q = 0; q < BKK; ++q)
            acc += at[ly][q] * bt[lx][q];
        __syncthreads();
    }

    AT(C, n, r, c) = acc;
}
