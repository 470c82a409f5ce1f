// Each thread computes a 2 x 4 piece of C, each block a 32 x 64 piece.
//   C[m][n] = A[m][k] * B[k][n], any sizes.
// launch with dim3 block(16, 16), grid(ceil(n/64), ceil(m/32))
#include <cuda_runtime.h>

namespace cfg {
constexpr int threads = 16;
constexpr int ry = 2, rx = 4;
constexpr int by = threads * ry;   // 32
constexpr int bx = threads * rx;   // 64
constexpr int bk = 16;
}

__global__ void gemm_2x4(const float* __restrict__ A, const float* __restrict__ B,
                         float* __restrict__ C, int m, int n, int k)
{
    using namespace cfg;
    __shared__ float sa[by][bk];
    __shared__ float sb[bk][bx];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row0 = blockIdx.y * by, col0 = blockIdx.x * bx;
    float acc[ry][rx];
    for (auto& line : acc)
        for (auto& v : line) v = 0.0f;

    const int tiles = k / bk;
    for (int t = 0; t < tiles; ++t) {
        const int k0 = t * bk;
        for (int i = 0; i < ry; ++i) {
            const int r = row0 + ty + i * threads;
            sa[ty + i * threads][tx] = (r < m && k0 + tx < k) ? A[(size_t)r * k + k0 + tx] : 0.0f;
        }
        for (int j = 0; j < rx; ++j) {
            const int c = col0 + tx + j * threads;
            sb[ty][tx + j * threads] = (k0 + ty < k && c < n) ? B[(size_t)(k0 + ty) * n + c] : 0.0f;
        }
        __syncthreads();

        for (int p = 0; p < bk; ++p)
            for (int i = 0; i < ry; ++i) {
                const float a = sa[ty + i * threads][p];
                for (int j = 0; j < rx; ++j) acc[i][j] += a * sb[p][tx + j * threads];
            }
        __syncthreads();
    }

    for (int i = 0; i < ry; ++i)
        for (int j = 0; j < rx; ++j) {
            const int r = row0 + ty + i * threads;
            const int c = col0 + tx + j * threads;
            if (r < m && c < n) C[(size_t)r * n + c] = acc[i][j];
        }
}
