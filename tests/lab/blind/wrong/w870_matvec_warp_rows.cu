#include <cuda_runtime.h>

// y = alfa * A * x + beta * y
// A: errenkadaz errenkada, m x n. x bektorea memoria partekatu dinamikora kopiatzen da (n <= 8192).
// Warp bakoitzak LAU errenkada hartzen ditu.

static constexpr int LAU = 4;
static constexpr int WARP_KOP = 4;

__global__ void gemv_warp(const float *__restrict__ A, const float *__restrict__ x,
                          float *__restrict__ y, int m, int n, float alfa, float beta)
{
    extern __shared__ float xs[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        xs[i] = x[i];
    __syncthreads();

    const int lane = threadIdx.x % 32;
    const int r0 = (blockIdx.x * WARP_KOP + threadIdx.x / 32) * LAU;
    float bat[LAU] = {};

    for (int j = lane; j < n; j += 32) {
        const float v = xs[j];
        #pragma unroll
        for (int q = 0; q < LAU; ++q)
            if (r0 + q < m)
                bat[q] += A[(size_t)(r0 + q) * n + j] * v;
    }

    #pragma unroll
    for (int q = 0; q < LAU; ++q) {
        for (int d = 16; d; d /= 2)
            bat[q] += __shfl_xor_sync(~0u, bat[q], d);
        if (lane == q && r0 + q < m)
            y[r0 + q] = alfa * bat[q] + beta * y[r0 + q];
    }
}

void gemv(const float *A, const float *x, float *y, int m, int n, float alfa, float beta)
{
    const int blokeko = LAU * WARP_KOP;
    const int sareta = (m + blokeko - 1) / blokeko;
    gemv_warp<<<sareta, 32 * WARP_KOP, n>>>(A, x, y, m, n, alfa, beta);
}
