// C = A B with a 64 x 64 tile per block and 4 x 4 sums in the registers of each of 256 threads.
// A: m x k, B: k x n, C: m x n, of any size.

#define TILE 64
#define DEPTH 16
#define SIDE 4

extern "C" __global__ void __launch_bounds__(256)
sgemm_register_tile(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float a_tile[DEPTH][TILE + 1];
    __shared__ float b_tile[DEPTH][TILE];

    int t = threadIdx.x;
    int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    int ty = t / 16, tx = t % 16;
    float sums[SIDE][SIDE] = {};

    for (int p0 = 0; p0 < k; p0 += DEPTH) {
        for (int i = t; i < TILE * DEPTH; i += 256) {
            int row = i / DEPTH, p = i % DEPTH;
            a_tile[p][row] = row0 + row < m && p0 + p < k ? A[(row0 + row) * k + p0 + p] : 0.0f;
        }
        for (int i = t; i < TILE * DEPTH; i += 256) {
            int p = i / TILE, column = i % TILE;
            b_tile[p][column] = p0 + p < k && column0 + column < n ? B[(p0 + p) * n + column0 + column] : 0.0f;
        }
        __syncthreads();

        for (int p = 0; p < DEPTH; ++p) {
            float a[SIDE], b[SIDE];
            for (int i = 0; i < SIDE; ++i) a[i] = a_tile[p][ty + 16 * i];
            for (int j = 0; j < SIDE; ++j) b[j] = b_tile[p][tx + 16 * j];
            for (int i = 0; i < SIDE; ++i)
                for (int j = 0; j < SIDE; ++j) sums[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < SIDE; ++i)
        for (int j = 0; j < SIDE; ++j) {
            int row = row0 + ty + 16 * i, column = column0 + tx + 16 * j;
            if (row < m && column < n) C[row * n + column] = sums[i][j];
        }
}
