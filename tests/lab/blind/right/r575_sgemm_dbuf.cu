#include <cassert>
#include <cuda_runtime.h>

namespace gemm {

constexpr int BM = 64, BN = 64, BK = 8;
constexpr int TM = 4, TN = 4;
constexpr int NT = (BM / TM) * (BN / TN);   // 256

// C[M,N] = A[M,K] * B[K,N], everything row major and a multiple of the tile
__global__ __launch_bounds__(NT)
void sgemm_dbuf(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[2][BK][BM];     // A is kept transposed
    __shared__ float Bs[2][BK][BN];

    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN);
    const int tc = tid % (BN / TN);

    // loading positions: 2 floats of A and 2 floats of B per thread
    const int ar = tid / 4, ac = (tid % 4) * 2;
    const int br = tid / 32, bc = (tid % 32) * 2;

    const float *Ap = A + (size_t)(blockIdx.y * BM + ar) * K + ac;
    const float *Bp = B + (size_t)br * N + blockIdx.x * BN + bc;

    float acc[TM][TN] = {};

    float2 ra = *(const float2 *)Ap;
    float2 rb = *(const float2 *)Bp;
    As[0][ac][ar] = ra.x;
    As[0][ac + 1][ar] = ra.y;
    Bs[0][br][bc] = rb.x;
    Bs[0][br][bc + 1] = rb.y;
    __syncthreads();

    int cur = 0;
    for (int k0 = 0; k0 < K; k0 += BK) {
        const bool more = k0 + BK < K;
        if (more) {
            Ap += BK;
            Bp += (size_t)BK * N;
            ra = *(const float2 *)Ap;
            rb = *(const float2 *)Bp;
        }

#pragma unroll
        for (int q = 0; q < BK; ++q) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; ++i) a[i] = As[cur][q][tr * TM + i];
            for (int j = 0; j < TN; ++j) b[j] = Bs[cur][q][tc * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += a[i] * b[j];
        }

        if (more) {
            const int nxt = cur ^ 1;
            As[nxt][ac][ar] = ra.x;
            As[nxt][ac + 1][ar] = ra.y;
            Bs[nxt][br][bc] = rb.x;
            Bs[nxt][br][bc + 1] = rb.y;
            __syncthreads();
            cur = nxt;
        }
    }

    for (int i = 0; i < TM; ++i) {
        float *out = C + (size_t)(blockIdx.y * BM + tr * TM + i) * N + blockIdx.x * BN + tc * TN;
        *(float4 *)out = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    }
}

void run(const float *dA, const float *dB, float *dC, int M, int N, int K, cudaStream_t stream = 0)
{
    assert(M > 0 && N > 0 && K > 0);
    assert(M % BM == 0 && N % BN == 0 && K % BK == 0);
    dim3 grid(N / BN, M / BM);
    sgemm_dbuf<<<grid, NT, 0, stream>>>(dA, dB, dC, M, N, K);
}

} // namespace gemm
