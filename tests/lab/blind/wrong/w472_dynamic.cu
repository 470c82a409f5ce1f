#include <cuda_runtime.h>

// Tile width chosen at run time (8, 16 or 32). Both tiles live in one dynamic buffer.

__global__ void mm_dyn(const float *X, const float *Y, float *Z,
                       int h, int d, int w, int tile)
{
    extern __shared__ float smem[];
    float *xs = smem;                       // tile * tile
    float *ys = smem + tile * tile;         // tile * tile

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * tile + ty;
    int j = blockIdx.x * tile + tx;
    float z = 0.0f;

    for (int s = 0; s < (d + tile - 1) / tile; s++) {
        int xk = s * tile + tx;
        int yk = s * tile + ty;

        if (i < h && xk < d) xs[ty * tile + tx] = X[i * d + xk];
        else                 xs[ty * tile + tx] = 0.0f;
        if (yk < d && j < w) ys[ty * tile + tx] = Y[yk * w + j];
        else                 ys[ty * tile + tx] = 0.0f;
        __syncthreads();

        for (int k = 0; k < tile; k++)
            z += xs[ty * tile + k] * ys[k * tile + tx];
        __syncthreads();
    }

    if (i < h && j < w)
        Z[i * w + j] = z;
}

void mm(const float *X, const float *Y, float *Z, int h, int d, int w)
{
    int tile = 32;
    if (h <= 64 || w <= 64) tile = 16;
    if (h <= 16 || w <= 16) tile = 8;

    dim3 block(tile, tile);
    dim3 grid((w + tile - 1) / tile, (h + tile - 1) / tile);
    size_t shared_bytes = 2 * tile * tile;
    mm_dyn<<<grid, block, shared_bytes>>>(X, Y, Z, h, d, w, tile);
}
