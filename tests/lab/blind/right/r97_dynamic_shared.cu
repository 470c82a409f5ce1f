#include <cuda_runtime.h>

// The tile width is not known at compile time: both tiles live in one dynamic
// shared array.  blockDim.x == blockDim.y == tile.
__global__ void matmul_dyn(const float *a, const float *b, float *c, int rows, int inner, int cols)
{
    extern __shared__ float smem[];
    const int tile = blockDim.x;
    float *as = smem;
    float *bs = smem + tile * tile;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r = blockIdx.y * tile + ty;
    const int q = blockIdx.x * tile + tx;

    float v = 0.f;
    const int n_tiles = (inner + tile - 1) / tile;
    for (int t = 0; t < n_tiles; ++t) {
        const int ka = t * tile + tx;
        const int kb = t * tile + ty;
        if (r < rows && ka < inner)
            as[ty * tile + tx] = a[r * inner + ka];
        else
            as[ty * tile + tx] = 0.f;
        if (kb < inner && q < cols)
            bs[ty * tile + tx] = b[kb * cols + q];
        else
            bs[ty * tile + tx] = 0.f;
        __syncthreads();
        for (int i = 0; i < tile; ++i)
            v += as[ty * tile + i] * bs[i * tile + tx];
        __syncthreads();
    }
    if (r < rows && q < cols)
        c[r * cols + q] = v;
}

// tile may be 8, 16 or 32
cudaError_t matmul(const float *d_a, const float *d_b, float *d_c,
                   int rows, int inner, int cols, int tile)
{
    dim3 block(tile, tile);
    dim3 grid((cols + tile - 1) / tile, (rows + tile - 1) / tile);
    size_t bytes = 2 * (size_t)tile * tile * sizeof(float);
    matmul_dyn<<<grid, block, bytes>>>(d_a, d_b, d_c, rows, inner, cols);
    return cudaGetLastError();
}
