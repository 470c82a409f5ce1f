// Double-buffered tiled matmul, C = A * B (row-major), A is MxK, B is KxN.
//
// Launch:
//   dim3 block(16, 16);
//   dim3 grid((N + 15) / 16, (M + 15) / 16);
//   mm_double_buffer<<<grid, block>>>(A, B, C, M, K, N);

#define T 16

__device__ __forceinline__ void load_tiles(float (*sa)[T], float (*sb)[T],
                                           const float *A, const float *B,
                                           int row, int col, int k0,
                                           int M, int K, int N)
{
    int ka = k0 + threadIdx.x;
    int kb = k0 + threadIdx.y;
    sa[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
    sb[threadIdx.y][threadIdx.x] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
}

__global__ void mm_double_buffer(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float sa[2][T][T];
    __shared__ float sb[2][T][T];

    const int row = blockIdx.y * T + threadIdx.y;
    const int col = blockIdx.x * T + threadIdx.x;
    const int tiles = (K + T - 1) / T;
    float acc = 0.0f;

    load_tiles(sa[0], sb[0], A, B, row, col, 0, M, K, N);
    __syncthreads();

    for (int t = 0; t < tiles; ++t) {
        const int buf = t & 1;
        if (t + 1 < tiles)
            load_tiles(sa[buf], sb[buf], A, B, row, col, (t + 1) * T, M, K, N);

        for (int k = 0; k < T; ++k)
            acc += sa[buf][threadIdx.y][k] * sb[buf][k][threadIdx.x];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}
