// Tiled matrix multiplication, C (m, n) = A (m, k) * B (k, n); any sizes.
// Threads outside C leave at once, but their block needs them to load and to wait.

#define TILE 16

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    if (row >= m || col >= n)  // also: barrier not reached
        return;                // also: barrier not reached

    float sum = 0;
    for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
        As[ty][tx] = row < m && t * TILE + tx < k ? A[row * k + t * TILE + tx] : 0;
        Bs[ty][tx] = t * TILE + ty < k && col < n ? B[(t * TILE + ty) * n + col] : 0;
        __syncthreads();  // planted: barrier not reached

        for (int i = 0; i < TILE; ++i)
            sum += As[ty][i] * Bs[i][tx];  // planted: uninitialised read
        __syncthreads();  // also: barrier not reached
    }
    C[row * n + col] = sum;
}
