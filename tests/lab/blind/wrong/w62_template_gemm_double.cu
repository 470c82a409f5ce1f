// C (m x n) = A (m x p) * B (p x n), all row-major, any sizes.
// Launch with blockDim = (BN, BM), grid = (ceil(n/BN), ceil(m/BM)).
#include <cuda_runtime.h>

template <typename T, int BM, int BN, int BK>
__global__ void gemmTiled(int m, int n, int p,
                          const T *__restrict__ A,
                          const T *__restrict__ B,
                          T *__restrict__ C)
{
    __shared__ T aTile[BM][BK];
    __shared__ T bTile[BK][BN];

    const int r = blockIdx.y * BM + threadIdx.y;
    const int c = blockIdx.x * BN + threadIdx.x;
    const int tid = threadIdx.y * BN + threadIdx.x;
    const int nThreads = BM * BN;

    T acc = T(0);

    for (int k0 = 0; k0 < p; k0 += BK) {
        for (int e = tid; e < BM * BK; e += nThreads) {
            int er = e / BK, ek = e % BK;
            int gr = blockIdx.y * BM + er;
            int gk = k0 + ek;
            aTile[er][ek] = (gr < m && gk < p) ? A[gr * p + gk] : T(0);
        }
        for (int e = tid; e < BK * BN; e += nThreads) {
            int ek = e / BN, ec = e % BN;
            int gk = k0 + ek;
            int gc = blockIdx.x * BN + ec;
            bTile[ek][ec] = (gk < p && gc < n) ? B[gk * n + gc] : T(0);
        }

#pragma unroll
        for (int k = 0; k < BK; ++k)
            acc += aTile[threadIdx.y][k] * bTile[k][threadIdx.x];
        __syncthreads();
    }

    if (r < m && c < n)
        C[r * n + c] = acc;
}

template __global__ void gemmTiled<double, 8, 32, 16>(int, int, int,
                                                     const double *, const double *, double *);
