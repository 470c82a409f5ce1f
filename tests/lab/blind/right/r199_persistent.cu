// Persistent blocks: a fixed number of blocks works through all output tiles.
// blockDim = (16,16), any gridDim.x >= 1
#define TW 16

__global__ void gemmTilesLoop(const float *A, const float *B, float *C,
                              int M, int N, int K)
{
    __shared__ float a[TW][TW];
    __shared__ float b[TW][TW];

    const int tilesX = (N + TW - 1) / TW;
    const int tilesY = (M + TW - 1) / TW;

    for (int tile = blockIdx.x; tile < tilesX * tilesY; tile += gridDim.x) {
        const int row = (tile / tilesX) * TW + threadIdx.y;
        const int col = (tile % tilesX) * TW + threadIdx.x;
        float acc = 0.0f;

        for (int k0 = 0; k0 < K; k0 += TW) {
            const int ka = k0 + threadIdx.x;
            const int kb = k0 + threadIdx.y;
            a[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
            b[threadIdx.y][threadIdx.x] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
            __syncthreads();
#pragma unroll 4
            for (int k = 0; k < TW; ++k)
                acc = fmaf(a[threadIdx.y][k], b[k][threadIdx.x], acc);
            __syncthreads();
        }

        if (row < M && col < N)
            C[row * N + col] = acc;
    }
}

void run(const float *A, const float *B, float *C, int M, int N, int K)
{
    gemmTilesLoop<<<8, dim3(TW, TW)>>>(A, B, C, M, N, K);
}
