// pooled product: c[i + j*m] = sum of the 2x2 square (2i..2i+1, 2j..2j+1) of A*B
// A: 2m x k column-major, B: k x 2n row-major, c: m x n column-major, no padding, from cudaMalloc
// 2D grid-stride, any grid, any block; a float2 of A is a row pair, a float2 of B is a column pair
#include <cuda_runtime.h>

__global__ void pooled(const float2 *A, const float2 *B, float *c, int m, int n, int k)
{
    for (int j = blockIdx.y * blockDim.y + threadIdx.y; j < n; j += gridDim.y * blockDim.y)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x) {
            const float2 *a = A + i, *b = B + j;
            float s = 0;
            for (int p = k; p > 0; --p, a += m, b += n)
                s += (a->x + a->y) * (b->x + b->y);
            c[i + (size_t)j * m] = s;
        }
}
