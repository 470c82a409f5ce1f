// Matrix product with blocks that are wider than high.
// C (M x N) = A (M x K) * B (K x N), row major
//
//   dim3 block(16, 8);
//   dim3 grid((N + 15) / 16, (M + 7) / 8);
//   matmul_16x8<<<grid, block>>>(A, B, C, M, N, K);

#define W 16
#define H 8

__global__ void matmul_16x8(const float *__restrict__ A,
                            const float *__restrict__ B,
                            float *__restrict__ C,
                            int M, int N, int K)
{
    __shared__ float As[H][W];
    __shared__ float Bs[W][W];

    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * H + y;
    const int col = blockIdx.x * W + x;
    float sum = 0.0f;

    for (int k = 0; k < K; k += W) {
        As[y][x] = (row < M && k + x < K) ? A[(size_t)row * K + (k + x)] : 0.0f;

        // 16 rows of B, but only 8 rows of threads: two loads each
        for (int r = y; r < W; r += H)
            Bs[r][x] = (k + r < K && col < N) ? B[(size_t)(k + r) * N + col] : 0.0f;
        __syncthreads();

        for (int i = 0; i < W; i++)
            sum += As[y][i] * Bs[i][x];
    }

    if (row < M && col < N)
        C[(size_t)row * N + col] = sum;
}
