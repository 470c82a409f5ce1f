// Tiled matrix multiplication in which the left half of a block loads A and the right half loads B.
// C (m, n) = A (m, k) * B (k, n); all sizes are multiples of TILE.

#define TILE 16

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int t = 0; t < k / TILE; ++t) {
        if (tx < TILE / 2) {
            int x = 2 * tx;
            As[ty][x] = A[row * k + t * TILE + x];
            As[ty][x + 1] = A[row * k + t * TILE + x + 1];
        } else {
            int x = 2 * tx - TILE;
            int first = blockIdx.x * TILE;
            Bs[ty][x] = B[(t * TILE + ty) * n + first + x];
            Bs[ty][x + 1] = B[(t * TILE + ty) * n + first + x + 1];
        }
        __syncthreads();

        for (int i = 0; i < TILE; ++i)
            sum += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    C[row * n + col] = sum;
}
