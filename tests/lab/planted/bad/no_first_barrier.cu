// Tiled matrix multiplication, C (m, n) = A (m, k) * B (k, n); all sizes are multiples of TILE.
// Nobody waits for the tiles to be complete: a thread multiplies what its neighbours may not have loaded yet.

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
        As[ty][tx] = A[row * k + t * TILE + tx];    // planted: race
        Bs[ty][tx] = B[(t * TILE + ty) * n + col];  // planted: race

        for (int i = 0; i < TILE; ++i)
            sum += As[ty][i] * Bs[i][tx];  // planted: race
        __syncthreads();
    }
    C[row * n + col] = sum;
}
