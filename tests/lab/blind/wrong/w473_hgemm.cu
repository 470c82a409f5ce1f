#include <cuda_fp16.h>

// C = alpha * A * B + beta * C  in half precision with float accumulation.
// Arbitrary M, N, K. 16x16 threads, grid (ceil(N/16), ceil(M/16)).
#define TS 16

__global__ void hgemm_ab(int M, int N, int K, float alpha,
                         const __half *A, const __half *B, float beta, __half *C)
{
    __shared__ float a_s[TS][TS];
    __shared__ float b_s[TS][TS];

    unsigned tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TS + ty;
    int col = blockIdx.x * TS + tx;
    if (row >= M || col >= N)
        return;

    float acc = 0.0f;
    for (int t = 0; t < K; t += TS) {
        a_s[ty][tx] = (int)(t + tx) < K ? __half2float(A[row * K + t + tx]) : 0.0f;
        b_s[ty][tx] = (int)(t + ty) < K ? __half2float(B[(t + ty) * N + col]) : 0.0f;
        __syncthreads();
        for (int k = 0; k < TS; ++k)
            acc += a_s[ty][k] * b_s[k][tx];
        __syncthreads();
    }

    int at = row * N + col;
    float old = beta == 0.0f ? 0.0f : beta * __half2float(C[at]);
    C[at] = __float2half(alpha * acc + old);
}
