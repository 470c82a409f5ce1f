// Tiled matrix multiplication, C (m, n) = A (m, k) * B (k, n); any sizes.
// Rows of B below the last one are loaded.

#define TILE 16

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
        As[ty][tx] = row < m && t * TILE + tx < k ? A[row * k + t * TILE + tx] : 0;
        Bs[ty][tx] = col < n ? B[(t * TILE + ty) * n + col] : 0;  // planted: out of bounds
        __syncthreads();

        for (int i = 0; i < TILE; ++i)
            sum += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}
