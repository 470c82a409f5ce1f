// One-dimensional grid; the tile of C that a block works on is chosen so that
// neighbouring blocks share rows of A and columns of B in the L2 cache
// (groups of GROUP tile rows, walked column by column).
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,             \
                         cudaGetErrorString(e_));                              \
            std::exit(EXIT_FAILURE);                                           \
        }                                                                      \
    } while (0)

constexpr int TILE  = 32;
constexpr int GROUP = 4;
constexpr int ROWS_PER_THREAD = 4;
constexpr int BLOCK_ROWS = TILE / ROWS_PER_THREAD;

__global__ void matmul_swizzled(const float* A, const float* B, float* C,
                                int M, int N, int K, int tilesM, int tilesN)
{
    const int perGroup  = GROUP * tilesN;
    const int group     = blockIdx.x / perGroup;
    const int firstRow  = group * GROUP;
    const int groupRows = min(GROUP, tilesM - firstRow);
    const int inGroup   = blockIdx.x % perGroup;
    const int tileRow   = firstRow + inGroup % groupRows;
    const int tileCol   = inGroup / groupRows;

    __shared__ float As[TILE][TILE + 1];
    __shared__ float Bs[TILE][TILE + 1];

    const int tx  = threadIdx.x;
    const int col = tileCol * TILE + tx;
    float acc[ROWS_PER_THREAD] = {0.f, 0.f, 0.f, 0.f};

    for (int k0 = 0; k0 < K; k0 += TILE) {
        for (int r = 0; r < ROWS_PER_THREAD; ++r) {
            const int y   = threadIdx.y + r * BLOCK_ROWS;
            const int row = tileRow * TILE + y;
            As[y][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.f;
            Bs[y][tx] = (k0 + y < K && col < N) ? B[(k0 + y) * N + col] : 0.f;
        }
        __syncthreads();
        for (int k = 0; k < TILE; ++k) {
            const float b = Bs[k][tx];
            for (int r = 0; r < ROWS_PER_THREAD; ++r)
                acc[r] += As[threadIdx.y + r * BLOCK_ROWS][k] * b;
        }
        __syncthreads();
    }

    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        const int row = tileRow * TILE + threadIdx.y + r * BLOCK_ROWS;
        if (row < M && col < N)
            C[row * N + col] = acc[r];
    }
}

int main()
{
    const int M = 300, N = 170, K = 85;
    float *A, *B, *C;
    CHECK(cudaMallocManaged(&A, sizeof(float) * M * K));
    CHECK(cudaMallocManaged(&B, sizeof(float) * K * N));
    CHECK(cudaMallocManaged(&C, sizeof(float) * M * N));
    for (int i = 0; i < M * K; ++i) A[i] = float(i % 15) - 7.f;
    for (int i = 0; i < K * N; ++i) B[i] = float(i % 13) - 6.f;

    const int tilesM = (M + TILE - 1) / TILE;
    const int tilesN = (N + TILE - 1) / TILE;
    matmul_swizzled<<<tilesM * tilesN, dim3(TILE, BLOCK_ROWS)>>>(A, B, C, M, N, K, tilesM, tilesN);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    int bad = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.f;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            if (std::fabs(s - C[i * N + j]) > 1e-2f) ++bad;
        }
    std::printf("%d wrong elements\n", bad);
    CHECK(cudaFree(A));
    CHECK(cudaFree(B));
    CHECK(cudaFree(C));
    return bad != 0;
}
