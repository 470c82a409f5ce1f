#include <cuda_runtime.h>

namespace cfg {
constexpr int tileW = 32;   // columns of C in a block
constexpr int tileH = 8;    // rows of C in a block
constexpr int depth = 32;
}

__global__ void wide_tile(const float* a, const float* b, float* c, int m, int k, int n)
{
    using namespace cfg;
    __shared__ float sa[tileH][depth];
    __shared__ float sb[depth][tileW];
    const int x = threadIdx.x, y = threadIdx.y;
    const int col = blockIdx.x * tileW + x;
    const int row = blockIdx.y * tileH + y;

    float sum = 0.0f;
    for (int base = 0; base < k; base += depth) {
        sa[y][x] = (row < m && base + x < k) ? a[row * k + base + x] : 0.0f;
        #pragma unroll
        for (int d = 0; d < depth; d += tileH)
            sb[y + d][x] = (base + y + d < k && col < n) ? b[(base + y + d) * n + col] : 0.0f;
        __syncthreads();

        #pragma unroll
        for (int d = 0; d < depth; ++d)
            sum = fmaf(sa[y][d], sb[d][x], sum);
        __syncthreads();
    }

    if (row < m && col < n)
        c[row * n + col] = sum;
}

// a: m x k, b: k x n, c: m x n on the device
void multiply(const float* a, const float* b, float* c, int m, int k, int n)
{
    using namespace cfg;
    dim3 block(tileW, tileH);
    dim3 grid((n + tileW - 1) / tileW, (m + tileW - 1) / tileW);
    wide_tile<<<grid, block>>>(a, b, c, m, k, n);
}
