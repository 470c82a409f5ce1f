// HW4, part C: register-tiled SGEMM, C = A * B (row-major).
// A is M x K, B is K x N, C is M x N; any positive sizes, M <= 4194240.
// Thread block: 128 threads -> 64 x 32 outputs, each thread owns 4 x 4 of them.
//
//   dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
//   sgemm_4x4<<<grid, THREADS>>>(dA, dB, dC, M, N, K);
#include <cuda_runtime.h>

#define BM 64
#define BN 32
#define BK 8
#define R  4
#define THREADS ((BM / R) * (BN / R))

__global__ void sgemm_4x4(const float* __restrict__ A,
                          const float* __restrict__ B,
                          float* __restrict__ C,
                          int M, int N, int K)
{
    __shared__ float As[BM][BK + 1];
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tc = tid % (BN / R);      // 0..7
    const int tr = tid / (BN / R);      // 0..15
    const int row_base = blockIdx.y * BM;
    const int col_base = blockIdx.x * BN;

    float acc[R][R];
    for (int i = 0; i < R; ++i)
        for (int j = 0; j < R; ++j)
            acc[i][j] = 0.0f;

    for (int k0 = 0; k0 + BK <= K; k0 += BK) {
        for (int idx = tid; idx < BM * BK; idx += THREADS) {
            int r = idx / BK, k = idx % BK;
            int gr = row_base + r, gk = k0 + k;
            As[r][k] = (gr < M && gk < K) ? A[(size_t)gr * K + gk] : 0.0f;
        }
        for (int idx = tid; idx < BK * BN; idx += THREADS) {
            int k = idx / BN, c = idx % BN;
            int gk = k0 + k, gc = col_base + c;
            Bs[k][c] = (gk < K && gc < N) ? B[(size_t)gk * N + gc] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            float a[R], b[R];
            // strided ownership: thread rows tr, tr+16, ...; columns tc, tc+8, ...
            for (int i = 0; i < R; ++i) a[i] = As[tr + i * (BM / R)][k];
            for (int j = 0; j < R; ++j) b[j] = Bs[k][tc + j * (BN / R)];
            for (int i = 0; i < R; ++i)
                for (int j = 0; j < R; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < R; ++i) {
        int gr = row_base + tr + i * (BM / R);
        for (int j = 0; j < R; ++j) {
            int gc = col_base + tc + j * (BN / R);
            if (gr < M && gc < N)
                C[(size_t)gr * N + gc] = acc[i][j];
        }
    }
}
