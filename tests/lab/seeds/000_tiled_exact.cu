// Seed 000, "Tiled Matrix Multiplication Kernel": A is m x n, B is n x k, C is m x k, multiples of TILE_WIDTH.
// Completed and mended lines are listed in docs/check-files.md.
#define TILE_WIDTH 16

__global__ void MatrixMulKernel(int m, int n, int k, float* A, float* B, float* C)
{
    __shared__ float ds_A[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_B[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x; int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;
    int Row = by * blockDim.y + ty;
    int Col = bx * blockDim.x + tx;
    float Cvalue = 0;

    //Loop over the A and B tiles as required to compute the C
    for (int      t = 0; t      < n/TILE_WIDTH; ++t) {

        // Collaborative loading of A and B tiles into shared memory
        ds_A[ty][tx] = A[Row*n + t*TILE_WIDTH+tx];
        ds_B[ty][tx] = B[(t*TILE_WIDTH+ty)*k + Col];
        __syncthreads();

        for (int i = 0; i < TILE_WIDTH; ++i) //compute the corresponding result
            Cvalue += ds_A[ty][i] * ds_B[i][tx];
        __syncthreads();

    }
    C[Row*k+Col] = Cvalue;
}

void MatrixMul(int m, int n, int k, float* A, float* B, float* C)
{
    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
    dim3 dimGrid(k / TILE_WIDTH, m / TILE_WIDTH);
    MatrixMulKernel<<<dimGrid, dimBlock>>>(m, n, k, A, B, C);
}
