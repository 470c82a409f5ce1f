// Seed 002, the blog's kernel: square matrices, width a multiple of 2, its second barrier inside of the inner loop.
// Completed and mended lines are listed in docs/check-files.md.

__global__ void tile_matrix_multiply(float* A, float* B, float* C, int width)
{
    __shared__ float shareA[2][2];
    __shared__ float shareB[2][2];
    int bx = blockIdx.x; int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;
    int row = by * 2 + ty;
    int col = bx * 2 + tx;
    float temp = 0;
    for(int i = 0; i < width/2; ++i){

        shareA[ty][tx] = A[row*width + (i*2 + tx)];
        shareB[ty][tx] = B[(i*2 + ty)*width + col];
        __syncthreads();

        for(int k = 0; k < 2; ++k){
            temp += shareA[ty][k] * shareB[k][tx];
            __syncthreads();
        }
    }
    C[row*width + col] = temp;
}

void multiply(float* A, float* B, float* C, int width)
{
    dim3 block(2, 2);
    dim3 grid(width / 2, width / 2);
    tile_matrix_multiply<<<grid, block>>>(A, B, C, width);
}
