// C = A * B (row major). A is M x K, B is K x N. Each of M, N, K in [1, 16384].
// Two shared buffers: while one tile is being multiplied, the next one is on its way.
#include <cuda_runtime.h>

template <int T>
__global__ void __launch_bounds__(T * T)
gemmTwoStage(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
             int M, int N, int K)
{
    __shared__ float as[2][T][T];
    __shared__ float bs[2][T][T];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * T + ty;
    const int col = blockIdx.x * T + tx;
    float acc = 0.0f;

    auto fetch = [&](int buf, int k0) {
        const int ka = k0 + tx, kb = k0 + ty;
        as[buf][ty][tx] = (row < M && ka < K) ? A[(size_t)row * K + ka] : 0.0f;
        bs[buf][ty][tx] = (kb < K && col < N) ? B[(size_t)kb * N + col] : 0.0f;
    };
    auto multiply = [&](int buf) {
        #pragma unroll
        for (int q = 0; q < T; ++q)
            acc += as[buf][ty][q] * bs[buf][q][tx];
    };

    fetch(0, 0);
    __syncthreads();

    int cur = 0;
    for (int k0 = 0; k0 < K; k0 += T) {
        if (k0 + T < K) fetch(cur ^ 1, k0 + T);
        __syncthreads();
        multiply(cur);
        cur ^= 1;
    }

    if (row < M && col < N) C[(size_t)row * N + col] = acc;
}

void gemm(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream = 0)
{
    constexpr int T = 32;
    const dim3 block(T, T);
    const dim3 grid((N + T - 1) / T, (M + T - 1) / T);
    gemmTwoStage<T><<<grid, block, 0, stream>>>(A, B, C, M, N, K);
}
