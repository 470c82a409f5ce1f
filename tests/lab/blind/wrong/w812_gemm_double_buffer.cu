#include <cuda_runtime.h>

// C = alpha * A * B with double-buffered tiles in shared memory.
// Any M, N, K from 1 to 30000, all matrices row-major.

constexpr int TM = 16;   // block rows
constexpr int TN = 32;   // block columns
constexpr int TK = 16;   // depth of one step

struct Tiles {
    float a[2][TM][TK];
    float b[2][TK][TN];
};

__device__ void fetch(Tiles &s, int buf, int k0,
                      const float *A, const float *B, int M, int N, int K)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TM + ty;
    const int col = blockIdx.x * TN + tx;

    if (tx < TK) {
        const int k = k0 + tx;
        s.a[buf][ty][tx] = (row < M && k < K) ? A[row * K + k] : 0.0f;
    }
    const int k = k0 + ty;
    s.b[buf][ty][tx] = (k < K && col < N) ? B[k * N + col] : 0.0f;
}

__global__ void gemmDB(float alpha, const float *A, const float *B, float *C,
                       int M, int N, int K)
{
    __shared__ Tiles s;
    const int steps = (K + TK - 1) / TK;
    int cur = 0;
    float acc = 0.0f;

    fetch(s, cur, 0, A, B, M, N, K);
    __syncthreads();

    for (int t = 0; t < steps; ++t) {
        if (t + 1 < steps)
            fetch(s, cur, (t + 1) * TK, A, B, M, N, K);
        #pragma unroll
        for (int q = 0; q < TK; ++q)
            acc += s.a[cur][threadIdx.y][q] * s.b[cur][q][threadIdx.x];
        __syncthreads();
        cur ^= 1;
    }

    const int row = blockIdx.y * TM + threadIdx.y;
    const int col = blockIdx.x * TN + threadIdx.x;
    if (row < M && col < N)
        C[row * N + col] = alpha * acc;
}

void gemm(float alpha, const float *A, const float *B, float *C, int M, int N, int K)
{
    gemmDB<<<dim3((N + TN - 1) / TN, (M + TM - 1) / TM), dim3(TN, TM)>>>(alpha, A, B, C, M, N, K);
}
