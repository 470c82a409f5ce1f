// "Persistent" tiled GEMM: a small fixed grid walks over all output tiles.
// Row-major, any M, N, K > 0.
#include <cuda_runtime.h>
#include <algorithm>

namespace pgemm {

constexpr int kTile    = 32;
constexpr int kRowsPer = 4;                    // outputs per thread
constexpr int kThreadY = kTile / kRowsPer;     // 8
constexpr int kMaxGrid = 64;

__host__ __device__ inline int tiles(int x) { return (x + kTile - 1) / kTile; }

__global__ void kernel(const float* __restrict__ A, const float* __restrict__ B,
                       float* __restrict__ C, int M, int N, int K)
{
    __shared__ float As[kTile][kTile];
    __shared__ float Bs[kTile][kTile];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int total = tiles(M) * tiles(N);
    float acc[kRowsPer] = {0.f, 0.f, 0.f, 0.f};

    for (int tile = blockIdx.x; tile < total; tile += gridDim.x) {
        const int row0 = (tile / tiles(N)) * kTile;
        const int col0 = (tile % tiles(N)) * kTile;

        for (int k0 = 0; k0 < K; k0 += kTile) {
            for (int i = 0; i < kRowsPer; ++i) {
                const int y = ty + i * kThreadY;
                As[y][tx] = (row0 + y < M && k0 + tx < K) ? A[(size_t)(row0 + y) * K + k0 + tx] : 0.f;
                Bs[y][tx] = (k0 + y < K && col0 + tx < N) ? B[(size_t)(k0 + y) * N + col0 + tx] : 0.f;
            }
            __syncthreads();
            for (int q = 0; q < kTile; ++q) {
                const float b = Bs[q][tx];
                for (int i = 0; i < kRowsPer; ++i)
                    acc[i] += As[ty + i * kThreadY][q] * b;
            }
            __syncthreads();
        }

        for (int i = 0; i < kRowsPer; ++i) {
            const int r = row0 + ty + i * kThreadY;
            if (r < M && col0 + tx < N)
                C[(size_t)r * N + col0 + tx] = acc[i];
        }
    }
}

// device pointers
cudaError_t launch(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t s)
{
    const int grid = std::min(tiles(M) * tiles(N), kMaxGrid);
    kernel<<<grid, dim3(kTile, kThreadY), 0, s>>>(A, B, C, M, N, K);
    return cudaGetLastError();
}

}  // namespace pgemm
