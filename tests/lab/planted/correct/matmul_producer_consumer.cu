// Tiled matrix multiplication in which one half of the block's warps loads and the other half computes.
// C (m, n) = A (m, k) * B (k, n); all sizes are multiples of 16.
// Style: named barriers, producers that arrive without waiting (bar.arrive), two buffers.

#define TILE 16
#define HALF (TILE * TILE)

__device__ __forceinline__ void wait_at(int barrier)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(2 * HALF) : "memory");
}

__device__ __forceinline__ void arrive_at(int barrier)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(2 * HALF) : "memory");
}

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[2][TILE][TILE];
    __shared__ float Bs[2][TILE][TILE];
    int tx = threadIdx.x % TILE, ty = threadIdx.x % HALF / TILE;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    const int full = 1, empty = 3;  // two barriers each, one per buffer

    if (threadIdx.x < HALF) {
        for (int t = 0; t < k / TILE; ++t) {
            int buffer = t % 2;
            if (t >= 2)
                wait_at(empty + buffer);
            As[buffer][ty][tx] = A[row * k + t * TILE + tx];
            Bs[buffer][ty][tx] = B[(t * TILE + ty) * n + col];
            arrive_at(full + buffer);
        }
    } else {
        float sum = 0;
        for (int t = 0; t < k / TILE; ++t) {
            int buffer = t % 2;
            wait_at(full + buffer);
            for (int i = 0; i < TILE; ++i)
                sum += As[buffer][ty][i] * Bs[buffer][i][tx];
            if (t + 2 < k / TILE)
                arrive_at(empty + buffer);
        }
        C[row * n + col] = sum;
    }
}
