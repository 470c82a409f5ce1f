// Tiled matrix multiplication whose tile of A starts at column 1, so that column 0 can be padding.
// C (m, n) = A (m, k) * B (k, n); all sizes are multiples of TILE.
// The padding is an additional row instead of a column: column TILE of a row is column 0 of the next. As a whole
// the array is large enough, and the result is right.

#define TILE 16

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[TILE + 1][TILE];  // cause
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int t = 0; t < k / TILE; ++t) {
        As[ty][tx + 1] = A[row * k + t * TILE + tx];  // planted: inner dimension
        Bs[ty][tx] = B[(t * TILE + ty) * n + col];
        __syncthreads();

        for (int i = 0; i < TILE; ++i)
            sum += As[ty][i + 1] * Bs[i][tx];  // planted: inner dimension
        __syncthreads();
    }
    C[row * n + col] = sum;
}
