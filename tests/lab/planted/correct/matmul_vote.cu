// Tiled matrix multiplication whose loop ends by a vote of the block; the vote is the second barrier as well.
// C (m, n) = A (m, k) * B (k, n); any sizes. Style: __syncthreads_or, a loop that all threads leave together.

#define TILE 16

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int t = 0;; t += TILE) {
        if (!__syncthreads_or(t < k))
            break;
        As[ty][tx] = row < m && t + tx < k ? A[row * k + t + tx] : 0;
        Bs[ty][tx] = t + ty < k && col < n ? B[(t + ty) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += As[ty][i] * Bs[i][tx];
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}
