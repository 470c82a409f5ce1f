// Tiled matrix multiplication with two buffers: the next tiles are loaded while this one is used.
// C (m, n) = A (m, k) * B (k, n); any sizes. Style: double buffering, one barrier per phase.

#define TILE 16

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[2][TILE][TILE];
    __shared__ float Bs[2][TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;
    int tiles = (k + TILE - 1) / TILE;

    auto load = [&](int t, int buffer) {
        As[buffer][ty][tx] = row < m && t * TILE + tx < k ? A[row * k + t * TILE + tx] : 0;
        Bs[buffer][ty][tx] = t * TILE + ty < k && col < n ? B[(t * TILE + ty) * n + col] : 0;
    };

    load(0, 0);
    __syncthreads();
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
        int now = t % 2;
        if (t + 1 < tiles)
            load(t + 1, 1 - now);
        for (int i = 0; i < TILE; ++i)
            sum += As[now][ty][i] * Bs[now][i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}
