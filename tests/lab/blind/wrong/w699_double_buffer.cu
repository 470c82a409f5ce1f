// Project part 3: software-pipelined matrix product.
// While one pair of tiles is multiplied, the next pair is fetched into registers
// and then put into the other half of the shared buffers.
#include <cuda_runtime.h>

constexpr int TS = 16;

__global__ void pipelined(const float* __restrict__ A, const float* __restrict__ B,
                          float* __restrict__ C, int M, int N, int K)
{
    __shared__ float sA[2][TS][TS + 1];
    __shared__ float sB[2][TS][TS + 1];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;

    auto fetchA = [&](int k0) { return (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f; };
    auto fetchB = [&](int k0) { return (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f; };

    int cur = 0;
    sA[cur][ty][tx] = fetchA(0);
    sB[cur][ty][tx] = fetchB(0);
    __syncthreads();

    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TS) {
        const bool more = k0 + TS < K;
        float ra = 0.0f, rb = 0.0f;
        if (more) {
            ra = fetchA(k0 + TS);
            rb = fetchB(k0 + TS);
        }

        #pragma unroll
        for (int q = 0; q < TS; ++q)
            acc += sA[cur][ty][q] * sB[cur][q][tx];

        if (more) {
            sA[cur][ty][tx] = ra;
            sB[cur ^ 1][ty][tx] = rb;
        }
        __syncthreads();
        cur ^= 1;
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}

// device pointers, sizes between 1 and 10000
void run_pipelined(const float* A, const float* B, float* C, int M, int N, int K)
{
    const dim3 block(TS, TS);
    const dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS);
    pipelined<<<grid, block>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
}
