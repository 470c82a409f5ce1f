#define TILE_WIDTH 16

// Width must be a multiple of TILE_WIDTH (16)
// launch: dim3 dimBlock(TILE_WIDTH, TILE_WIDTH); dim3 dimGrid(Width/TILE_WIDTH, Width/TILE_WIDTH);
__global__ void MatrixMulKernel(float* Md, float* Nd, float* Pd, int Width)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int bx = blockIdx.x;  int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;

    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;

    // walking pointers instead of recomputing the index in each phase
    const float* mp = Md + Row*Width + tx;
    const float* np = Nd + ty*Width + Col;

    float Pvalue = 0;
    int phases = Width / TILE_WIDTH;
    while (phases-- > 0) {
        Mds[ty][tx] = *mp;
        Nds[ty][tx] = *np;
        mp += TILE_WIDTH;
        np += TILE_WIDTH*Width;
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[Row*Width+Col] = Pvalue;
}
