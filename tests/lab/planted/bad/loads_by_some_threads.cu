// Tiled matrix multiplication with a thread per 2 x 1 elements of C: 16 x 8 threads for tiles of 16 x 16.
// C (m, n) = A (m, k) * B (k, n); all sizes are multiples of TILE.
// Each thread loads one element of each tile, so the lower halves of the tiles are never loaded.

#define TILE 16

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float upper = 0, lower = 0;
    for (int t = 0; t < k / TILE; ++t) {
        As[ty][tx] = A[row * k + t * TILE + tx];
        Bs[ty][tx] = B[(t * TILE + ty) * n + col];
        __syncthreads();

        for (int i = 0; i < TILE; ++i) {
            upper += As[ty][i] * Bs[i][tx];      // planted: uninitialised read
            lower += As[ty + 8][i] * Bs[i][tx];  // planted: uninitialised read
        }
        __syncthreads();
    }
    C[row * n + col] = upper;
    C[(row + 8) * n + col] = lower;
}
