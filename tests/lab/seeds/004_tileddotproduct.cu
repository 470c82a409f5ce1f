// Seed 004, "tileddotProduct.cu": a block's threads multiply, add in shared memory, and write a partial sum.
// Completed and mended lines are listed in docs/check-files.md.
//tileddotProduct.cu
#include <stdio.h>
#include <stdlib.h>
using namespace std;
const double MAX_ERR = 1e-5;
const int N = 10000;
const double sqr2 = 1.4142135623730950488016887242;
const int tileWidth = 1024;
__global__ void dotProduct(double *C, double *A, double *B)
{
    __shared__ double tile[tileWidth];
    int tid = threadIdx.x + blockIdx.x * blockDim.x; //thread id
    int local_tid = threadIdx.x;//local thread id (within a block)
    //totally tileWidth local_tid's
    //Each thread calculating its own sum of products
    double sum = 0.0;
    // Looping through tiles
    int distance = gridDim.x * blockDim.x;
    for (int k = tid; k < N; k += distance)
        sum += A[k] * B[k];
    // Saving each thread's sum in shared memory
    tile[local_tid] = sum;
    __syncthreads();
    // Reduction within the block
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (local_tid < stride)
            tile[local_tid] += tile[local_tid + stride];
        __syncthreads();
    }
    // Saving the block's partial sum in C array
    if (local_tid == 0)
        C[blockIdx.x] = tile[0];
}
void checkError ( double *m )
{
    if ( abs ( *m - 2.0 * N ) > MAX_ERR ) {
        printf("\nError!\n");
        return;
    }
    printf("\nPASSED: %6.2f\n", *m);
}
int main()
{
    double A[N], B[N];
    int nBlocks = ceil ( (float) N / tileWidth ); //number of blocks
    double C[nBlocks];
    double *dA, *dB, *dC;
    for (int i = 0; i < N; i++)
        A[i] = sqr2;
    for (int i = 0; i < N; i++)
        B[i] = sqr2 ;
    int aSize1 = sizeof( A );
    int aSize2 = sizeof( B );
    int aSize3 = nBlocks * sizeof( double );
    cudaMalloc((void **)&dA, aSize1);
    cudaMalloc((void **)&dB, aSize2);
    cudaMalloc((void **)&dC, aSize3);
    //Transfer data from main memory (CPU) to GPU memory
    cudaMemcpy(dA, A, aSize1, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, aSize2, cudaMemcpyHostToDevice);
    //tileWidth = number of threads in a block
    dotProduct<<< nBlocks,tileWidth>>>(dC, dA, dB);
    cudaDeviceSynchronize();
    // Transfer data back to host memory
    cudaMemcpy(C, dC, aSize3, cudaMemcpyDeviceToHost);
    // Obtain the result on the host by summing partial results
    for (int i = 1; i < nBlocks; i++)
        C[0] += C[i];
    checkError( &C[0] );
    cudaFree( dA );
    cudaFree( dB );
    cudaFree( dC );
    return 0;
}
