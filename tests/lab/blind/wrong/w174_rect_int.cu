// Rectangular tiles: C tile is TM x TN, step TK along the inner dimension.
// The block has TN x TM = 32 x 8 threads.
// sizes: A[h][d], B[d][w], C[h][w]

#define TM 8
#define TN 32
#define TK 32

__global__ void rectTiles(const int *A, const int *B, int *C, int h, int d, int w)
{
    __shared__ int as[TM][TK];
    __shared__ int bs[TK][TN];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int r = blockIdx.y * TM + y;
    const int c = blockIdx.x * TN + x;

    int total = 0;

    for (int k0 = 0; k0 < d; k0 += TK) {
        // A tile: one element per thread
        as[y][x] = (r < h && k0 + x < d) ? A[r * d + k0 + x] : 0;

        // B tile: TK / TM elements per thread
        for (int kk = y; kk < TK; kk += TM)
            bs[kk][x] = (k0 + kk < d && c < w) ? B[(k0 + kk) * w + c] : 0;
        __syncthreads();

        for (int k = 0; k < TK; k++)
            total += as[y][k] * bs[k][x];
        __syncthreads();
    }

    C[r * w + c] = total;
}

void rectMultiply(const int *A, const int *B, int *C, int h, int d, int w)
{
    dim3 blocks((w + TN - 1) / TN, (h + TM - 1) / TM);
    dim3 threads(TN, TM);
    rectTiles<<<blocks, threads>>>(A, B, C, h, d, w);
}
