// Tiled matrix multiplication with flat tiles: 16 x 16 threads, 8 columns of A and 8 rows of B at a time.
// A's tile is kept transposed. C (m, n) = A (m, k) * B (k, n); m and n are multiples of 16, k of 8.

#define TILE 16
#define DEPTH 8

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[DEPTH][TILE];
    __shared__ float Bs[DEPTH][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int first = 0; first < k; first += DEPTH) {
        if (tx < DEPTH)
            As[tx][ty] = A[row * k + first + tx];
        if (ty < DEPTH)
            Bs[ty][tx] = B[(first + ty) * n + col];
        __syncthreads();

        for (int i = 0; i < DEPTH; ++i)
            sum += As[i][ty] * Bs[i][tx];
        __syncthreads();
    }
    C[row * n + col] = sum;
}
