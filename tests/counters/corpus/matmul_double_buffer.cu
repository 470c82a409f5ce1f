// Tiled matrix product that loads the next tiles while it multiplies these: two buffers, one barrier per phase.
// The buffers are dynamic shared memory, 4 * TILE * TILE floats. A: m x k, B: k x n, C: m x n.

#define TILE 16

__device__ void load_tiles(const float* A, const float* B, float* a_tile, float* b_tile, int row, int column, int phase,
    int m, int n, int k)
{
    int p_a = phase * TILE + threadIdx.x, p_b = phase * TILE + threadIdx.y;
    int place = threadIdx.y * TILE + threadIdx.x;
    a_tile[place] = row < m && p_a < k ? A[row * k + p_a] : 0.0f;
    b_tile[place] = p_b < k && column < n ? B[p_b * n + column] : 0.0f;
}

extern "C" __global__ void matmul_double_buffer(const float* A, const float* B, float* C, int m, int n, int k)
{
    extern __shared__ float tiles[];

    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    int phases = (k + TILE - 1) / TILE;
    float sum = 0.0f;

    load_tiles(A, B, tiles, tiles + TILE * TILE, row, column, 0, m, n, k);
    __syncthreads();
    for (int phase = 0; phase < phases; ++phase) {
        float* here = tiles + (phase % 2) * 2 * TILE * TILE;
        float* next = tiles + ((phase + 1) % 2) * 2 * TILE * TILE;
        if (phase + 1 < phases) load_tiles(A, B, next, next + TILE * TILE, row, column, phase + 1, m, n, k);
        for (int p = 0; p < TILE; ++p)
            sum += here[threadIdx.y * TILE + p] * here[TILE * TILE + p * TILE + threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) C[row * n + column] = sum;
}
