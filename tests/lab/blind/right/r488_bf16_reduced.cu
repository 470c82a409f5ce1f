// Pair-reduced product in bfloat16, result in float:
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A is M x K, B is K x N (row major), C is (M/2) x (N/2).  M and N even, any K.
// Launch with blockDim = 128 (1-D) and gridDim = ceil(N/2 / 32) * ceil(M/2 / 16).
#include <cuda_bf16.h>
#include <cuda_runtime.h>

using bf16 = __nv_bfloat16;

constexpr int TR = 16;        // rows of C per block
constexpr int TC = 32;        // columns of C per block
constexpr int TK = 8;
constexpr int NT = 128;
constexpr int RPT = TR * TC / NT;   // results per thread: 4

__device__ __forceinline__ float pair_row(const bf16* A, int i, int k, int K)
{
    const bf16* p = A + (size_t)(2 * i) * K + k;
    return __bfloat162float(p[0]) + __bfloat162float(p[K]);
}

__device__ __forceinline__ float pair_col(const bf16* B, int k, int j, int N)
{
    // 2j is even and N is even, so the pair is one aligned 32-bit word
    const __nv_bfloat162 v = *reinterpret_cast<const __nv_bfloat162*>(B + (size_t)k * N + 2 * j);
    const float2 f = __bfloat1622float2(v);
    return f.x + f.y;
}

__global__ void reduced_bf16(const bf16* A, const bf16* B, float* C, int M, int N, int K)
{
    __shared__ float sa[TR][TK];
    __shared__ float sb[TK][TC];

    const int rows = M / 2, cols = N / 2;
    const int blocksAcross = (cols + TC - 1) / TC;
    const int i0 = (blockIdx.x / blocksAcross) * TR;
    const int j0 = (blockIdx.x % blocksAcross) * TC;
    const int t = threadIdx.x;
    const int myCol = t % TC;
    const int myRow = t / TC;           // 0..3

    float acc[RPT] = {0.f, 0.f, 0.f, 0.f};

    for (int k0 = 0; k0 < K; k0 += TK) {
        {
            const int r = t / TK, c = t % TK;     // 16 x 8 = 128 entries
            sa[r][c] = (i0 + r < rows && k0 + c < K) ? pair_row(A, i0 + r, k0 + c, K) : 0.f;
        }
        for (int e = t; e < TK * TC; e += NT) {
            const int r = e / TC, c = e % TC;
            sb[r][c] = (k0 + r < K && j0 + c < cols) ? pair_col(B, k0 + r, j0 + c, N) : 0.f;
        }
        __syncthreads();
        for (int q = 0; q < TK; ++q) {
            const float b = sb[q][myCol];
            for (int u = 0; u < RPT; ++u)
                acc[u] += sa[myRow + u * (NT / TC)][q] * b;
        }
        __syncthreads();
    }

    for (int u = 0; u < RPT; ++u) {
        const int i = i0 + myRow + u * (NT / TC), j = j0 + myCol;
        if (i < rows && j < cols) C[(size_t)i * cols + j] = acc[u];
    }
}
