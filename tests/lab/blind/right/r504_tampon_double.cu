// C = A * B with two shared buffers per operand: the loads of panel t+1 are issued
// before the arithmetic on panel t, and there is one barrier per panel.
// A: M x K, B: K x N, C: M x N, dense row-major, all sizes from 1 to 1000000.
#include <cuda_runtime.h>

namespace {

constexpr int S = 32;

struct Panels {
    float a[2][S][S];
    float b[2][S][S];
};

__device__ inline void fetch(Panels &p, int slot, int panel,
                             const float *A, const float *B, int M, int N, int K)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * S + ty;
    const int col = blockIdx.x * S + tx;
    const int ka = panel * S + tx;
    const int kb = panel * S + ty;
    p.a[slot][ty][tx] = (row < M && ka < K) ? A[(size_t)row * K + ka] : 0.0f;
    p.b[slot][ty][tx] = (kb < K && col < N) ? B[(size_t)kb * N + col] : 0.0f;
}

__global__ void matmul_db(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ Panels p;

    const int panels = (K + S - 1) / S;
    float acc = 0.0f;
    int slot = 0;

    fetch(p, slot, 0, A, B, M, N, K);
    __syncthreads();

    for (int t = 0; t < panels; ++t) {
        if (t + 1 < panels)
            fetch(p, slot ^ 1, t + 1, A, B, M, N, K);

#pragma unroll 8
        for (int k = 0; k < S; ++k)
            acc += p.a[slot][threadIdx.y][k] * p.b[slot][k][threadIdx.x];

        __syncthreads();
        slot ^= 1;
    }

    const int row = blockIdx.y * S + threadIdx.y;
    const int col = blockIdx.x * S + threadIdx.x;
    if (row < M && col < N)
        C[(size_t)row * N + col] = acc;
}

} // namespace

extern "C" int run_matmul_db(const float *dA, const float *dB, float *dC,
                             int M, int N, int K)
{
    dim3 block(S, S);
    dim3 grid((N + S - 1) / S, (M + S - 1) / S);
    matmul_db<<<grid, block>>>(dA, dB, dC, M, N, K);
    return (int)cudaGetLastError();
}
