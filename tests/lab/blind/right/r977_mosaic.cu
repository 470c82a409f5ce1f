#include <cuda_runtime.h>

// C[M,N] = A[M,K] * B[K,N], row-major floats, no restriction on the sizes.
// One block makes a BM x BN patch, one thread TM x TN scattered values of it.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
gemm_regs(int M, int N, int K,
          const float* __restrict__ A,
          const float* __restrict__ B,
          float* __restrict__ C)
{
    constexpr int NX = BN / TN;            // threads across
    constexpr int NY = BM / TM;            // threads down
    constexpr int NT = NX * NY;

    __shared__ float sa[BK][BM];           // A patch, k-major
    __shared__ float sb[BK][BN];

    const int t  = threadIdx.x;
    const int tx = t % NX, ty = t / NX;
    const int r0 = blockIdx.y * BM, c0 = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = t; e < BM * BK; e += NT) {
            int kk = e % BK, r = e / BK;
            bool in = (r0 + r < M) && (k0 + kk < K);
            sa[kk][r] = in ? A[(size_t)(r0 + r) * K + k0 + kk] : 0.f;
        }
        for (int e = t; e < BK * BN; e += NT) {
            int c = e % BN, kk = e / BN;
            bool in = (k0 + kk < K) && (c0 + c < N);
            sb[kk][c] = in ? B[(size_t)(k0 + kk) * N + c0 + c] : 0.f;
        }
        __syncthreads();

        #pragma unroll
        for (int kk = 0; kk < BK; ++kk) {
            float fa[TM], fb[TN];
            #pragma unroll
            for (int i = 0; i < TM; ++i) fa[i] = sa[kk][ty + i * NY];
            #pragma unroll
            for (int j = 0; j < TN; ++j) fb[j] = sb[kk][tx + j * NX];
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] = fmaf(fa[i], fb[j], acc[i][j]);
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            int r = r0 + ty + i * NY, c = c0 + tx + j * NX;
            if (r < M && c < N) C[(size_t)r * N + c] = acc[i][j];
        }
}

void gemm(int M, int N, int K, const float* A, const float* B, float* C)
{
    dim3 grid((N + 31) / 32, (M + 31) / 32);
    gemm_regs<32, 32, 8, 4, 2><<<grid, 128>>>(M, N, K, A, B, C);
}
