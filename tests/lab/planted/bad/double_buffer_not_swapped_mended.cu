// Tiled matrix multiplication with two buffers: the next tiles are loaded while this one is used, so that one
// barrier per phase is enough. C (m, n) = A (m, k) * B (k, n); all sizes are multiples of TILE.

#define TILE 16

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[2][TILE][TILE];
    __shared__ float Bs[2][TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    int now = 0;
    As[now][ty][tx] = A[row * k + tx];
    Bs[now][ty][tx] = B[ty * n + col];
    __syncthreads();

    float sum = 0;
    for (int t = 1; t <= k / TILE; ++t) {
        int next = 1 - now;
        if (t < k / TILE) {
            As[next][ty][tx] = A[row * k + t * TILE + tx];
            Bs[next][ty][tx] = B[(t * TILE + ty) * n + col];
        }
        for (int i = 0; i < TILE; ++i)
            sum += As[now][ty][i] * Bs[now][i][tx];
        __syncthreads();
        now = next;
    }
    C[row * n + col] = sum;
}
