// Tiled matrix multiplication with both tiles in dynamic shared memory, C (m, n) = A (m, k) * B (k, n); all sizes are
// multiples of TILE.

#define TILE 16

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    extern __shared__ float tiles[];
    float* As = tiles;
    float* Bs = tiles + TILE * TILE;
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int t = 0; t < k / TILE; ++t) {
        As[ty * TILE + tx] = A[row * k + t * TILE + tx];
        Bs[ty * TILE + tx] = B[(t * TILE + ty) * n + col];
        __syncthreads();

        for (int i = 0; i < TILE; ++i)
            sum += As[ty * TILE + i] * Bs[i * TILE + tx];
        __syncthreads();
    }
    C[row * n + col] = sum;
}
