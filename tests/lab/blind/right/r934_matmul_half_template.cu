#include <cuda_fp16.h>

// D = A * B with half inputs and float sums.
// TW: width of a block's tile, TH: its height, TK: depth of a step. blockDim = (TW, TH).
template <int TW, int TH, int TK>
__global__ void hmul(const __half *A, const __half *B, float *D, int M, int K, int N)
{
    __shared__ __half la[TH][TK + 2];
    __shared__ __half lb[TK][TW];

    const int id = threadIdx.y * TW + threadIdx.x;
    const int firstRow = blockIdx.y * TH;
    const int firstCol = blockIdx.x * TW;
    const __half zero = __float2half(0.0f);

    float d = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TK)
    {
        // both panels are filled by all threads in linear order
        for (int i = id; i < TH * TK; i += TW * TH)
        {
            const int r = firstRow + i / TK;
            const int k = k0 + i % TK;
            la[i / TK][i % TK] = (r < M && k < K) ? A[(size_t)r * K + k] : zero;
        }
        for (int i = id; i < TK * TW; i += TW * TH)
        {
            const int k = k0 + i / TW;
            const int c = firstCol + i % TW;
            lb[i / TW][i % TW] = (k < K && c < N) ? B[(size_t)k * N + c] : zero;
        }
        __syncthreads();

        for (int k = 0; k < TK; ++k)
            d += __half2float(la[threadIdx.y][k]) * __half2float(lb[k][threadIdx.x]);

        __syncthreads();
    }

    const int row = firstRow + threadIdx.y;
    const int col = firstCol + threadIdx.x;
    if (row < M && col < N)
        D[(size_t)row * N + col] = d;
}

void hmul_run(const __half *A, const __half *B, float *D, int M, int K, int N, cudaStream_t st)
{
    constexpr int W = 32, H = 4, KK = 16;
    dim3 block(W, H);
    dim3 grid((N + W - 1) / W, (M + H - 1) / H);
    hmul<W, H, KK><<<grid, block, 0, st>>>(A, B, D, M, K, N);
}
