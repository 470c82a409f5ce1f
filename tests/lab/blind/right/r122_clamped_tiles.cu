// Tiled product for any M, N, K >= 1.
// Addresses are clamped to the matrix instead of being replaced by zero; the
// inner loop is cut in the last slice so that no clamped k is ever used.
//
//   dim3 block(TILE, TILE);
//   dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);

constexpr int TILE = 16;

__global__ void __launch_bounds__(TILE * TILE)
gemm_clamped(int M, int N, int K,
             const float* __restrict__ a,
             const float* __restrict__ b,
             float* __restrict__ c)
{
    __shared__ float ta[TILE][TILE];
    __shared__ float tb[TILE][TILE];

    const int tx  = threadIdx.x;
    const int ty  = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    const int safe_row = min(row, M - 1);
    const int safe_col = min(col, N - 1);

    float acc = 0.f;
    for (int base = 0; base < K; base += TILE) {
        ta[ty][tx] = a[safe_row * K + min(base + tx, K - 1)];
        tb[ty][tx] = b[min(base + ty, K - 1) * N + safe_col];
        __syncthreads();

        const int depth = min(TILE, K - base);
        for (int k = 0; k < depth; ++k)
            acc = fmaf(ta[ty][k], tb[k][tx], acc);
        __syncthreads();
    }

    if (row < M && col < N)
        c[row * N + col] = acc;
}
