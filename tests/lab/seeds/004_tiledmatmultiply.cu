// Seed 004, "tiledMatMultiply.cu": A is M x N, B is N x L, C is M x L, sizes that the file fixes.
// Completed and mended lines are listed in docs/check-files.md.
//tiledMatMultiply.cu
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
using namespace std;
const double MAX_ERR = 1e-5;
const int M = 64;
const int N = 62;
const int L = 64;
const int tileWidth = 4;
const double sqr2 = 1.4142135623730950488016887242;
__global__ void matMul(double *C, double *A, double *B, int nTiles)
{
    //Declare arrays in shared memory
    __shared__ double sA[tileWidth][tileWidth];
    __shared__ double sB[tileWidth][tileWidth];
    int i = threadIdx.y + blockIdx.y * tileWidth; //row
    int j = threadIdx.x + blockIdx.x * tileWidth; //col
    int local_i = threadIdx.y; //index within a tile (shared memory)
    int local_j = threadIdx.x;
    double sum = 0.0;
    //looping through the tiles
    for (int t = 0; t < nTiles; ++t) {
        // Load tiles into shared memory
        if (i < M && (t * tileWidth + local_j) < N)
            sA[local_i][local_j] = A[i*N + t * tileWidth + local_j];
        else
            sA[local_i][local_j] = 0.0;
        if (j < L && (t * tileWidth + local_i) < N)
            sB[local_i][local_j] = B[(t*tileWidth + local_i) * L + j];
        else
            sB[local_i][local_j] = 0.0;
        //Wait until all threads within block (tile) have executed __syncthreads()
        __syncthreads();
        // Perform the matrix multiplication on the tile
        for (int k = 0; k < tileWidth; ++k)
            sum = sum + sA[local_i][k] * sB[k][local_j];
        // Wait until each thread within the block (tile) has finished
        // calculating its sum before loading the next tile
        __syncthreads();
    }
    //save the result to matrix C
    if (i < M && j < L )
        C[i*L+j] = sum;
}
void checkError ( double *m, int nRows, int nCols )
{
    for ( int i = 0; i < nRows; i++ ) {
        for ( int j = 0; j < nCols; j++ ){
            double x = *(m+i*nCols+j);
            if ( abs ( x - 2.0 * N ) > MAX_ERR ) {
                printf("\nError: %d, %d: %4.2f\n", i, j, x);
                return;
            }
        }
    }
    printf("\nPASSED: %4.2f\n", *m);
}
int main()
{
    double A[M][N], B[N][L], C[M][L];
    double *dA, *dB, *dC;
    for (int i = 0; i < M ; i++)
        for (int j = 0; j < N; j++)
            A[i][j] = sqr2;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < L; j++)
            B[i][j] = sqr2 ;
    int aSize1 = sizeof( A );
    int aSize2 = sizeof( B );
    int aSize3 = sizeof( C );
    bzero((char *) C, aSize3);
    cudaMalloc((void **)&dA, aSize1);
    cudaMalloc((void **)&dB, aSize2);
    cudaMalloc((void **)&dC, aSize3);
    //Transfer data from main memory (CPU) to GPU memory
    cudaMemcpy(dA, A, aSize1, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, aSize2, cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C, aSize3, cudaMemcpyHostToDevice);
    dim3 threadsPerBlock(tileWidth, tileWidth);//block size, a tile ~ block
    dim3 blocksPerGrid(ceil((float)L/tileWidth), ceil((float)M/tileWidth));
    //number of tiles in a row of A or a column of B
    int nTiles = ceil((float)N / tileWidth);
    matMul<<< blocksPerGrid,threadsPerBlock>>>(dC, dA, dB, nTiles);
    cudaDeviceSynchronize();
    // Transfer data back to host memory
    cudaMemcpy(C, dC, aSize3, cudaMemcpyDeviceToHost);
    checkError( &C[0][0], M, L );
    cudaFree( dA );
    cudaFree( dB );
    cudaFree( dC );
    return 0;
}
