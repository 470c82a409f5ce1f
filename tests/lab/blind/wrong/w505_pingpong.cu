// Tiled product with ping-pong shared buffers.
//   C = A * B, A: M x K, B: K x N (row-major), sizes >= 1, M <= 1000000.
// Block 16 x 16, grid (ceil(N/16), ceil(M/16)).
#include <cuda_runtime.h>

#define TILE 16

#define LOAD_TILES(buf, t)                                                          \
    do {                                                                            \
        int ka_ = (t) * TILE + tx, kb_ = (t) * TILE + ty;                           \
        sA[buf][ty][tx] = (row < M && ka_ < K) ? A[(size_t)row * K + ka_] : 0.0;    \
        sB[buf][ty][tx] = (kb_ < K && col < N) ? B[(size_t)kb_ * N + col] : 0.0;    \
    } while (0)

__global__ void pingpong(const double *A, const double *B, double *C, int M, int N, int K)
{
    __shared__ double sA[2][TILE][TILE];
    __shared__ double sB[2][TILE][TILE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;
    const int nTiles = (K + TILE - 1) / TILE;

    double acc = 0.0;
    LOAD_TILES(0, 0);

    for (int t = 0; t < nTiles; ++t) {
        const int cur = t & 1;
        if (t + 1 < nTiles)
            LOAD_TILES(1 - cur, t + 1);

        for (int k = 0; k < TILE; ++k)
            acc += sA[cur][ty][k] * sB[cur][k][tx];

        __syncthreads();
    }

    if (row < M && col < N)
        C[(size_t)row * N + col] = acc;
}
