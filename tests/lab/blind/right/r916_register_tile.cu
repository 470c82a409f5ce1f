// C = A * B with row-major floats: A is M x K, B is K x N, C is M x N (any sizes).
#include <cuda_runtime.h>

// BM x BN: output tile of a block. Each thread keeps TM x TN results,
// spread over the tile with strides BM/TM and BN/TN.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void gemm_regs(int M, int N, int K,
                          const float* __restrict__ A,
                          const float* __restrict__ B,
                          float* __restrict__ C)
{
    constexpr int RT = BM / TM;
    constexpr int CT = BN / TN;
    constexpr int NT = RT * CT;

    __shared__ float a[BK][BM + 1];
    __shared__ float b[BK][BN];

    const int t  = threadIdx.x;
    const int tr = t / CT;
    const int tc = t % CT;
    const int r0 = blockIdx.y * BM;
    const int c0 = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = t; e < BM * BK; e += NT) {
            const int i = e / BK, k = e % BK;
            a[k][i] = (r0 + i < M && k0 + k < K) ? A[(size_t)(r0 + i) * K + k0 + k] : 0.0f;
        }
        for (int e = t; e < BK * BN; e += NT) {
            const int k = e / BN, j = e % BN;
            b[k][j] = (k0 + k < K && c0 + j < N) ? B[(size_t)(k0 + k) * N + c0 + j] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            float ra[TM], rb[TN];
            for (int i = 0; i < TM; ++i) ra[i] = a[k][tr + i * RT];
            for (int j = 0; j < TN; ++j) rb[j] = b[k][tc + j * CT];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        const int r = r0 + tr + i * RT;
        for (int j = 0; j < TN; ++j) {
            const int c = c0 + tc + j * CT;
            if (r < M && c < N) C[(size_t)r * N + c] = acc[i][j];
        }
    }
}

void gemm(int M, int N, int K, const float* dA, const float* dB, float* dC)
{
    dim3 grid((N + 31) / 32, (M + 63) / 64);
    gemm_regs<64, 32, 8, 4, 2><<<grid, 256>>>(M, N, K, dA, dB, dC);
}
