// C = A^T * B
//
// A is stored k x m, B is stored k x n, C is m x n, all row major.
// Since A is stored transposed both tiles are read along rows (coalesced).
//
// usage:
//   dim3 threads(16, 16);
//   dim3 blocks((n + 15) / 16, (m + 15) / 16);
//   matmul_at_b<<<blocks, threads>>>(A, B, C, m, n, k);
//
// m, n, k do not need to be multiples of 16.
#include <cuda_runtime.h>

#define TILE_DIM 16

// copies one element of a (rows x cols) matrix into the tile,
// never reads outside of the matrix
__device__ void load_elem(float *dst, const float *src, int r, int c, int rows, int cols)
{
    if (r < rows && c < cols) {
        *dst = src[r * cols + c];
    }
}

__global__ void matmul_at_b(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float tile_a[TILE_DIM][TILE_DIM];    // [k][m]
    __shared__ float tile_b[TILE_DIM][TILE_DIM];    // [k][n]

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i0 = blockIdx.y * TILE_DIM;
    int j0 = blockIdx.x * TILE_DIM;

    float value = 0.0f;

    for (int p = 0; p < k; p += TILE_DIM) {
        load_elem(&tile_a[ty][tx], A, p + ty, i0 + tx, k, m);
        load_elem(&tile_b[ty][tx], B, p + ty, j0 + tx, k, n);
        __syncthreads();

        for (int q = 0; q < TILE_DIM; q++) {
            value += tile_a[q][ty] * tile_b[q][tx];
        }
        __syncthreads();
    }

    if (i0 + ty < m && j0 + tx < n) {
        C[(i0 + ty) * n + j0 + tx] = value;
    }
}
