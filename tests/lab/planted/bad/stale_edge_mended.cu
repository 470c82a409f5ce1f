// Tiled matrix multiplication, C (m, n) = A (m, k) * B (k, n); any sizes.

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
        if (row < m && t * TILE + tx < k)
            As[ty][tx] = A[row * k + t * TILE + tx];
        else
            As[ty][tx] = 0;
        if (t * TILE + ty < k && col < n)
            Bs[ty][tx] = B[(t * TILE + ty) * n + col];
        else
            Bs[ty][tx] = 0;
        __syncthreads();

        if (row < m && col < n)
            for (int i = 0; i < TILE; ++i)
                sum += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}
