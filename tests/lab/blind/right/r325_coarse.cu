#define TILE 32
#define COARSE 4

// One block makes a 32 x 128 strip of P; every thread makes COARSE elements of one row.
__global__ void matMulCoarse(const float* M, const float* N, float* P, int width) {
    __shared__ float Mds[TILE][TILE];
    __shared__ float Nds[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int colStart = blockIdx.x * TILE * COARSE + tx;

    float Pval[COARSE];
    for (int c = 0; c < COARSE; ++c) Pval[c] = 0.0f;

    for (int ph = 0; ph < (width + TILE - 1) / TILE; ++ph) {
        // the tile of M is loaded once and used for all COARSE tiles of N
        int mc = ph * TILE + tx;
        Mds[ty][tx] = (row < width && mc < width) ? M[row * width + mc] : 0.0f;

        for (int c = 0; c < COARSE; ++c) {
            int col = colStart + c * TILE;
            int nr = ph * TILE + ty;
            Nds[ty][tx] = (nr < width && col < width) ? N[nr * width + col] : 0.0f;
            __syncthreads();

            for (int k = 0; k < TILE; ++k)
                Pval[c] += Mds[ty][k] * Nds[k][tx];
            __syncthreads();
        }
    }

    for (int c = 0; c < COARSE; ++c) {
        int col = colStart + c * TILE;
        if (row < width && col < width)
            P[row * width + col] = Pval[c];
    }
}
