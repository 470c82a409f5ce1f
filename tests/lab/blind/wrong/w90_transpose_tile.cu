// out = transpose(in); in is height x width, out is width x height (row-major).
// Block 32 x 8, grid (ceil(width / 32), ceil(height / 32)).
#include <cuda_runtime.h>

#define TILE_DIM 32
#define BLOCK_ROWS 8

template <typename T>
__global__ void transposeTile(const T *in, T *out, int width, int height)
{
    __shared__ T tile[TILE_DIM][TILE_DIM + 1];

    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }

    __syncthreads();

    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;

    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.y + j][threadIdx.x];
    }
}

template __global__ void transposeTile<float>(const float *, float *, int, int);
template __global__ void transposeTile<int>(const int *, int *, int, int);
