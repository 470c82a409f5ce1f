// Reduced matrix product in double precision:
//   C(i,j) = sum over the 2 x 2 square at (2i, 2j) of A * B
// A is 2m x k, B is k x 2n, C is m x n, everything row-major, any m, n, k > 0.
#include <cuda_runtime.h>

__global__ void reduced2x2(const double* A, const double* B, double* C,
                           int m, int k, int n, int tile)
{
    extern __shared__ double buffer[];
    double* upper = buffer;                    // even rows of A
    double* lower = upper + tile * tile;       // odd rows of A
    double* right = lower + tile * tile;       // pairs of columns of B, added

    const int ty = threadIdx.x / tile;
    const int tx = threadIdx.x % tile;
    const int i = blockIdx.y * tile + ty;
    const int j = blockIdx.x * tile + tx;
    const int here = ty * tile + tx;
    double even = 0.0, odd = 0.0;

    for (int s = 0; s < k; s += tile) {
        upper[here] = lower[here] = right[here] = 0.0;
        if (i < m && s + tx < k) {
            upper[here] = A[(2 * i) * k + s + tx];
            lower[here] = A[(2 * i + 1) * k + s + tx];
        }
        if (j < n && s + ty < k) {
            const int at = (s + ty) * 2 * n + 2 * j;
            right[here] = B[at] + B[at + 1];
        }
        __syncthreads();
        for (int q = 0; q < tile; ++q) {
            even += upper[ty * tile + q] * right[q * tile + tx];
            odd  += lower[ty * tile + q] * right[q * tile + tx];
        }
        __syncthreads();
    }
    if (i < m && j < n)
        C[i * n + j] = even + odd;
}

void reduced(const double* A, const double* B, double* C, int m, int k, int n)
{
    const int tile = (m < 16 || n < 16) ? 8 : 16;
    const dim3 grid((n + tile - 1) / tile, (m + tile - 1) / tile);
    const size_t shared = 2 * tile * tile * sizeof(double);
    reduced2x2<<<grid, tile * tile, shared>>>(A, B, C, m, k, n, tile);
}
