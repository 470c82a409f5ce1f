// Seed 004, "dotProduct.cu": one thread multiplies two vectors of N numbers.
// Completed and mended lines are listed in docs/check-files.md.
//dotProduct.cu
#include <stdio.h>
#include <stdlib.h>
using namespace std;
const double MAX_ERR = 1e-5;
const int N = 10000;
const double sqr2 = 1.4142135623730950488016887242;
__global__ void dotProduct(double *C, double *A, double *B)
{
    double sum = 0.0;
    for ( int k = 0; k < N; k++ )
        sum = sum + A[k] * B[k];
    C[0] = sum;
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
    double A[N], B[N], C[1];
    double *dA, *dB, *dC;
    for (int i = 0; i < N; i++)
        A[i] = sqr2;
    for (int i = 0; i < N; i++)
        B[i] = sqr2 ;
    int aSize1 = sizeof( A );
    int aSize2 = sizeof( B );
    int aSize3 = sizeof( C );
    cudaMalloc((void **)&dA, aSize1);
    cudaMalloc((void **)&dB, aSize2);
    cudaMalloc((void **)&dC, aSize3);
    //Transfer data from main memory (CPU) to GPU memory
    cudaMemcpy(dA, A, aSize1, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, aSize2, cudaMemcpyHostToDevice);
    dotProduct<<< 1,1>>>(dC, dA, dB);
    cudaDeviceSynchronize();
    // Transfer data back to host memory
    cudaMemcpy(C, dC, aSize3, cudaMemcpyDeviceToHost);
    checkError( &C[0] );
    cudaFree( dA );
    cudaFree( dB );
    cudaFree( dC );
    return 0;
}
