// Final project: half-precision GEMM with register tiles and double buffering.
// C (MxN) = A (MxK) * B (KxN), all row-major half, sums kept in float.
// block = dim3(16, 16), each thread computes 4x4 outputs of a 64x64 tile
// grid  = dim3(ceil(N/64), ceil(M/64))
#include <cuda_fp16.h>

#define BM 64
#define BN 64
#define BK 16
#define RT 4            // register tile
#define NT 256          // threads per block

__device__ __forceinline__ void fetch(const half *A, const half *B,
                                      int M, int N, int K,
                                      int row0, int col0, int k0, int tid,
                                      float (*sa)[BM], float (*sb)[BN])
{
    // A tile is written transposed: sa[k][i]
    for (int e = tid; e < BM * BK; e += NT) {
        int i = e / BK, k = e % BK;
        sa[k][i] = (row0 + i < M && k0 + k < K)
                       ? __half2float(A[(row0 + i) * K + (k0 + k)]) : 0.0f;
    }
    for (int e = tid; e < BK * BN; e += NT) {
        int k = e / BN, j = e % BN;
        sb[k][j] = (k0 + k < K && col0 + j < N)
                       ? __half2float(B[(k0 + k) * N + (col0 + j)]) : 0.0f;
    }
}

__global__ void hgemm_rt(const half *A, const half *B, half *C, int M, int N, int K)
{
    __shared__ float sa[2][BK][BM];
    __shared__ float sb[2][BK][BN];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 16 + tx;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;

    float acc[RT][RT] = {};
    int cur = 0;

    fetch(A, B, M, N, K, row0, col0, 0, tid, sa[0], sb[0]);
    __syncthreads();

    for (int k0 = 0; k0 < K; k0 += BK) {
        if (k0 + BK < K)     // fill the other buffer while this one is used
            fetch(A, B, M, N, K, row0, col0, k0 + BK, tid, sa[cur ^ 1], sb[cur ^ 1]);

        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            float ra[RT], rb[RT];
            for (int u = 0; u < RT; ++u) ra[u] = sa[cur][k][ty + 16 * u];
            for (int v = 0; v < RT; ++v) rb[v] = sb[cur][k][tx + 16 * v];
            for (int u = 0; u < RT; ++u)
                for (int v = 0; v < RT; ++v)
                    acc[u][v] += ra[u] * rb[v];
        }
        __syncthreads();     // one barrier is enough: readers of cur are done,
        cur ^= 1;            // writers of the other buffer are done
    }

    for (int u = 0; u < RT; ++u) {
        int i = row0 + ty + 16 * u;
        for (int v = 0; v < RT; ++v) {
            int j = col0 + tx + 16 * v;
            if (i < M && j < N)
                C[i * N + j] = __float2half(acc[u][v]);
        }
    }
}
