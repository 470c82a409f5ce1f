#include <cuda_runtime.h>
#include <algorithm>

// A fixed number of blocks walks over all the output tiles.
template <typename real, int W>
__global__ void walkTiles(const real *A, const real *B, real *C, int m, int n, int k)
{
    __shared__ real a[W][W];
    __shared__ real b[W][W];
    const int tilesX = (n + W - 1) / W;
    const int tilesY = (m + W - 1) / W;
    const int x = threadIdx.x, y = threadIdx.y;
    real acc = 0;

    for (int tile = blockIdx.x; tile < tilesX * tilesY; tile += gridDim.x) {
        const int row = tile / tilesX * W + y;
        const int col = tile % tilesX * W + x;

        for (int k0 = 0; k0 < k; k0 += W) {
            a[y][x] = row < m && k0 + x < k ? A[row * k + k0 + x] : real(0);
            b[y][x] = col < n && k0 + y < k ? B[(k0 + y) * n + col] : real(0);
            __syncthreads();
            for (int i = 0; i < W; i++) acc += a[y][i] * b[i][x];
            __syncthreads();
        }

        if (row < m && col < n) C[row * n + col] = acc;
    }
}

// device pointers
void multiply(const double *A, const double *B, double *C, int m, int n, int k)
{
    const int W = 8;
    int tiles = ((n + W - 1) / W) * ((m + W - 1) / W);
    walkTiles<double, W><<<std::min(tiles, 12), dim3(W, W)>>>(A, B, C, m, n, k);
}
