/*
  Assignment 4 (bonus): double buffering
  Square matrices, row-major, n must be a multiple of 16 (checked by the caller).
  Start with dim3(16,16) threads and dim3(n/16, n/16) blocks.
*/
#define TILE_DIM 16

__global__ void matMulDoubleBuffered(const float *a, const float *b, float *c, const int n)
{
    __shared__ float ta[2][TILE_DIM][TILE_DIM];
    __shared__ float tb[2][TILE_DIM][TILE_DIM];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * TILE_DIM + y;
    const int col = blockIdx.x * TILE_DIM + x;
    const int numTiles = n / TILE_DIM;

    // preload tile 0
    int cur = 0;
    ta[0][y][x] = a[row * n + x];
    tb[0][y][x] = b[y * n + col];
    __syncthreads();

    float sum = 0.0f;
    for (int t = 0; t < numTiles; ++t)
    {
        // load the next tile in the other buffer while computing on this one
        if (t + 1 < numTiles)
        {
            ta[1 - cur][y][x] = a[row * n + (t + 1) * TILE_DIM + x];
            tb[1 - cur][y][x] = b[((t + 1) * TILE_DIM + y) * n + col];
        }

        #pragma unroll
        for (int k = 0; k < TILE_DIM; ++k)
            sum += ta[cur][y][k] * tb[cur][k][x];

        // one barrier is enough: the buffer that is written in the next round
        // was read in this round, before the barrier
        __syncthreads();
        cur = 1 - cur;
    }

    c[row * n + col] = sum;
}
