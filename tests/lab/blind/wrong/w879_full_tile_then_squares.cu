#include <cuda_runtime.h>

// A: 2m x k, B: k x 2n, C: m x n, row-major, any sizes.
// A block of 32 x 32 threads makes a 32 x 32 tile of A*B; 16 x 16 of them then
// write the sums of its 2 x 2 squares.
// grid: ((n + 15) / 16, (m + 15) / 16)
constexpr int E = 32;

__global__ void squares(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float sa[E][E], sb[E][E], sp[E][E + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int rows = 2 * m, cols = 2 * n;
    const int r = blockIdx.y * E + y, c = blockIdx.x * E + x;

    float p = 0.f;
    for (int s = 0; s < k; s += E) {
        sa[y][x] = (r < rows && s + x < k) ? A[(size_t)r * k + s + x] : 0.f;
        sb[y][x] = (c < cols && s + y < k) ? B[(size_t)(s + y) * cols + c] : 0.f;
        __syncthreads();
        for (int q = 0; q < E; ++q)
            p += sa[y][q] * sb[q][x];
        __syncthreads();
    }
    sp[y][x] = p;

    if (x < E / 2 && y < E / 2) {
        const int i = blockIdx.y * (E / 2) + y;
        const int j = blockIdx.x * (E / 2) + x;
        if (i < m && j < n)
            C[(size_t)i * n + j] = sp[2 * y][2 * x] + sp[2 * y][2 * x + 1]
                                 + sp[2 * y + 1][2 * x] + sp[2 * y + 1][2 * x + 1];
    }
}
