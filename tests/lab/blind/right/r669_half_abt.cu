// C = A * B^T in half precision, accumulation in float.
//   A: M x K row-major, B: N x K row-major, C: M x N row-major
// Any M, N, K >= 1.
//
//   dim3 threads(TN, TM);
//   dim3 blocks((N + TN - 1) / TN, (M + TM - 1) / TM);
//   hgemm_abt<<<blocks, threads>>>(A, B, C, M, N, K);

#include <cuda_fp16.h>

enum { TM = 8, TN = 16, TK = 16 };

__global__ void hgemm_abt(const __half *A, const __half *B, __half *C, int M, int N, int K)
{
    __shared__ __half As[TM][TK];
    __shared__ __half Bs[TN][TK + 2];

    const __half zero = __float2half(0.0f);
    const int m0 = blockIdx.y * TM;
    const int n0 = blockIdx.x * TN;
    const int tid = threadIdx.y * TN + threadIdx.x;

    float c = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TK) {
        for (int e = tid; e < TM * TK; e += TM * TN) {
            int r = e / TK, q = e % TK;
            As[r][q] = (m0 + r < M && k0 + q < K) ? A[(size_t)(m0 + r) * K + k0 + q] : zero;
        }
        for (int e = tid; e < TN * TK; e += TM * TN) {
            int r = e / TK, q = e % TK;
            Bs[r][q] = (n0 + r < N && k0 + q < K) ? B[(size_t)(n0 + r) * K + k0 + q] : zero;
        }
        __syncthreads();

        for (int q = 0; q < TK; ++q)
            c += __half2float(As[threadIdx.y][q]) * __half2float(Bs[threadIdx.x][q]);
        __syncthreads();
    }

    const int row = m0 + threadIdx.y, col = n0 + threadIdx.x;
    if (row < M && col < N)
        C[(size_t)row * N + col] = __float2half(c);
}
