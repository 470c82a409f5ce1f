// Blocks are one dimensional here: 256 threads, seen as a 16 x 16 tile.
// The grid is one dimensional as well, tiles are numbered row by row:
//     int tilesM = (M+15)/16, tilesN = (N+15)/16;
//     gemm1d<<<tilesM*tilesN, 256>>>(M, N, K, A, B, C);
// C[M][N] = A[M][K] * B[K][N], all sizes allowed.

constexpr unsigned T = 16;

__global__ void gemm1d(unsigned M, unsigned N, unsigned K,
                       const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C)
{
    __shared__ float a[T * T];
    __shared__ float b[T * T];

    const unsigned tid = threadIdx.x;
    const unsigned lr = tid / T;      // local row
    const unsigned lc = tid % T;      // local column

    const unsigned tilesPerRow = (N + T - 1) / T;
    const unsigned row = (blockIdx.x / tilesPerRow) * T + lr;
    const unsigned col = (blockIdx.x % tilesPerRow) * T + lc;

    float sum = 0.0f;
    for (unsigned k0 = 0; k0 < K; k0 += T) {
        float va = 0.0f, vb = 0.0f;
        if (row < M && k0 + lc < K) va = A[row * K + k0 + lc];
        if (col < N && k0 + lr < K) vb = B[(k0 + lr) * N + col];

        __syncthreads();              // previous tile has been used up
        a[tid] = va;
        b[tid] = vb;
        __syncthreads();              // new tile is complete

        for (unsigned k = 0; k < T; ++k)
            sum = fmaf(a[lr * T + k], b[k * T + lc], sum);
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}
