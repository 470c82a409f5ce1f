// Thread coarsening: every thread handles COARSE columns of C, TILE_WIDTH apart.
// (like in the PMPP book, chapter 6, but for rectangular matrices)
//
// Start it with blockDim = (TILE_WIDTH, TILE_WIDTH). One block produces a strip of
// TILE_WIDTH rows and TILE_WIDTH*COARSE columns.

#define TILE_WIDTH 16
#define COARSE 4

__global__ void matMulCoarse(const float* M, const float* N, float* P, int rowsM, int colsM, int colsN)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int bx = blockIdx.x;  int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;

    int row = by * TILE_WIDTH + ty;
    int colStart = bx * TILE_WIDTH * COARSE + tx;

    float Pvalue[COARSE];
    for (int c = 0; c < COARSE; ++c)
        Pvalue[c] = 0.0f;

    for (int ph = 0; ph < (colsM + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {
        // the M tile is the same for all COARSE columns
        int mc = ph * TILE_WIDTH + tx;
        Mds[ty][tx] = (row < rowsM && mc < colsM) ? M[row * colsM + mc] : 0.0f;

        for (int c = 0; c < COARSE; ++c) {
            int col = colStart + c * TILE_WIDTH;
            int nr = ph * TILE_WIDTH + ty;
            Nds[ty][tx] = (nr < colsM && col < colsN) ? N[nr * colsN + col] : 0.0f;
            __syncthreads();
            for (int k = 0; k < TILE_WIDTH; ++k)
                Pvalue[c] += Mds[ty][k] * Nds[k][tx];
            __syncthreads();
        }
    }

    for (int c = 0; c < COARSE; ++c) {
        int col = colStart + c * TILE_WIDTH;
        if (row < rowsM && col < colsN)
            P[row * colsN + col] = Pvalue[c];
    }
}
