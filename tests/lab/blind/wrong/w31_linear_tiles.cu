// One-dimensional launch: 256 threads per block, one block per 16 x 16 tile of C,
// ((M + 15) / 16) * ((N + 15) / 16) blocks.
#define TS 16

__global__ void linearTiles(const float *__restrict__ A, const float *__restrict__ B,
                            float *__restrict__ C, int M, int N, int K)
{
    __shared__ float a[TS * TS];
    __shared__ float b[TS * TS];

    const int tilesX = (N + TS - 1) / TS;
    const int tileRow = blockIdx.x / tilesX;
    const int tileCol = blockIdx.x % tilesX;
    const int ty = threadIdx.x / TS;
    const int tx = threadIdx.x % TS;
    const int row = tileRow * TS + ty;
    const int col = tileCol * TS + tx;

    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TS) {
        a[threadIdx.x] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
        b[threadIdx.x] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
        for (int k = 0; k < TS; k++)
            sum += a[ty * TS + k] * b[k * TS + tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}
