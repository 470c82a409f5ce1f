// C = A * B, row-major floats, any m, n, k >= 1.
// Every block of 16x16 threads produces a BM x BN tile of C; every thread keeps
// a TM x TN patch of it in registers. Edges are padded with zeros on load.
#include <cuda_runtime.h>

namespace {

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 16;
constexpr int TM = 4;
constexpr int TN = 4;
constexpr int THREADS = (BM / TM) * (BN / TN); // 256

template <int ROWS, int COLS, int LD>
__device__ void loadTile(float (&dst)[ROWS][LD], const float* __restrict__ src,
                         int row0, int col0, int rows, int cols)
{
    for (int e = threadIdx.x; e < ROWS * COLS; e += THREADS) {
        const int r = e / COLS;
        const int c = e % COLS;
        const bool inside = row0 + r < rows && col0 + c < cols;
        dst[r][c] = inside ? src[(size_t)(row0 + r) * cols + (col0 + c)] : 0.0f;
    }
}

__global__ void __launch_bounds__(THREADS)
gemmRegisters(const float* __restrict__ A, const float* __restrict__ B,
              float* __restrict__ C, int m, int n, int k)
{
    __shared__ float sA[BM][BK + 1];
    __shared__ float sB[BK][BN];

    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;
    const int ty = threadIdx.x / (BN / TN);
    const int tx = threadIdx.x % (BN / TN);

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < k; k0 += BK) {
        loadTile<BM, BK>(sA, A, row0, k0, m, k);
        loadTile<BK, BN>(sB, B, k0, col0, k, n);
        __syncthreads();

#pragma unroll
        for (int p = 0; p < BK; ++p) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; ++i) a[i] = sA[ty * TM + i][p];
            for (int j = 0; j < TN; ++j) b[j] = sB[p][tx + j * (BN / TN)];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        const int r = row0 + ty * TM + i;
        if (r >= m) break;
        for (int j = 0; j < TN; ++j) {
            const int c = col0 + tx + j * (BN / TN);
            if (c < n) C[(size_t)r * n + c] = acc[i][j];
        }
    }
}

} // namespace

// dA, dB, dC are device pointers.
cudaError_t gemm(const float* dA, const float* dB, float* dC, int m, int n, int k,
                 cudaStream_t stream)
{
    dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
    gemmRegisters<<<grid, THREADS, 0, stream>>>(dA, dB, dC, m, n, k);
    return cudaGetLastError();
}
