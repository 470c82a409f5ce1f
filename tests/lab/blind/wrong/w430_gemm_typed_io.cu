#include <cstdint>
#include <cuda_runtime.h>

// GEMM with separate types of the inputs and of the output, batched.
// Meant for quantised networks: int8 x int8 -> int32,
// but also used with float -> float.
// The inputs may take any value of their type, k <= 100000.

template <typename In, typename Out, int TILE>
__global__ void gemm(const In* a, const In* b, Out* c, int m, int n, int k)
{
    __shared__ In sa[TILE][TILE];
    __shared__ In sb[TILE][TILE];

    // batch
    a += (size_t)blockIdx.z * m * k;
    b += (size_t)blockIdx.z * k * n;
    c += (size_t)blockIdx.z * m * n;

    const int y = threadIdx.y, x = threadIdx.x;
    const int row = blockIdx.y * TILE + y;
    const int col = blockIdx.x * TILE + x;

    In sum = 0;
    for (int t = 0; t < k; t += TILE) {
        sa[y][x] = (row < m && t + x < k) ? a[(size_t)row * k + t + x] : In(0);
        sb[y][x] = (t + y < k && col < n) ? b[(size_t)(t + y) * n + col] : In(0);
        __syncthreads();
#pragma unroll
        for (int p = 0; p < TILE; ++p)
            sum += sa[y][p] * sb[p][x];
        __syncthreads();
    }

    if (row < m && col < n)
        c[(size_t)row * n + col] = sum;
}

template <typename In, typename Out>
void run(const In* a, const In* b, Out* c, int m, int n, int k, int batch)
{
    // batch and m / 16 stay below 65536
    dim3 block(16, 16);
    dim3 grid((n + 15) / 16, (m + 15) / 16, batch);
    gemm<In, Out, 16><<<grid, block>>>(a, b, c, m, n, k);
}

void gemm_s8(const int8_t* a, const int8_t* b, int32_t* c, int m, int n, int k, int batch)
{
    run<int8_t, int32_t>(a, b, c, m, n, k, batch);
}

void gemm_f32(const float* a, const float* b, float* c, int m, int n, int k, int batch)
{
    run<float, float>(a, b, c, m, n, k, batch);
}
