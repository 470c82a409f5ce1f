// out = in^T.  in: ny rows of nx floats, out: nx rows of ny floats.
// launch with dim3 block(16, 16), grid(ceil(nx/16), ceil(ny/16))
#include <cuda_runtime.h>

#define DIM 16

__global__ void transposeTiled(const float *in, float *out, int nx, int ny)
{
    // one extra column against bank conflicts
    __shared__ float patch[DIM][DIM + 1];

    int ix = blockIdx.x * DIM + threadIdx.x;
    int iy = blockIdx.y * DIM + threadIdx.y;

    if (ix < nx && iy < ny)
        patch[threadIdx.y][threadIdx.x] = in[(size_t)iy * nx + ix];

    __syncthreads();

    int ox = blockIdx.y * DIM + threadIdx.x;   // column in out
    int oy = blockIdx.x * DIM + threadIdx.y;   // row in out

    if (ox < ny && oy < nx)
        out[(size_t)oy * ny + ox] = patch[threadIdx.y][threadIdx.x];
}
