// Tiled matrix multiplication as in a lecture, with its sizes as constants: C (M, L) = A (M, N) * B (N, L).
// A row of B is L long, not N.

#include <stdio.h>
#include <stdlib.h>
using namespace std;

const int M = 20;
const int N = 40;
const int L = 24;
const int tileWidth = 4;

__global__ void matMul(double *C, double *A, double *B, int nTiles)
{
    __shared__ double sA[tileWidth][tileWidth];
    __shared__ double sB[tileWidth][tileWidth];

    int i = threadIdx.y + blockIdx.y * tileWidth; //row
    int j = threadIdx.x + blockIdx.x * tileWidth; //col
    int local_i = threadIdx.y;
    int local_j = threadIdx.x;

    double sum = 0.0;
    for (int t = 0; t < nTiles; ++t) {
        if (i < M && (t * tileWidth + local_j) < N)
            sA[local_i][local_j] = A[i*N + t * tileWidth + local_j];
        else
            sA[local_i][local_j] = 0.0;
        if (j < L && (t * tileWidth + local_i) < N)
            sB[local_i][local_j] = B[(t*tileWidth + local_i) * N + j];  // planted: out of bounds
        else
            sB[local_i][local_j] = 0.0;
        __syncthreads();

        for (int k = 0; k < tileWidth; ++k)
            sum = sum + sA[local_i][k] * sB[k][local_j];
        __syncthreads();
    }
    if (i < M && j < L)
        C[i*L+j] = sum;
}

int main()
{
    double *A = (double *) malloc(M * N * sizeof(double));
    double *B = (double *) malloc(N * L * sizeof(double));
    double *C = (double *) malloc(M * L * sizeof(double));
    for (int i = 0; i < M * N; i++) A[i] = rand() % 10;
    for (int i = 0; i < N * L; i++) B[i] = rand() % 10;

    double *dA, *dB, *dC;
    cudaMalloc((void **)&dA, M * N * sizeof(double));
    cudaMalloc((void **)&dB, N * L * sizeof(double));
    cudaMalloc((void **)&dC, M * L * sizeof(double));
    cudaMemcpy(dA, A, M * N * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, N * L * sizeof(double), cudaMemcpyHostToDevice);

    int nTiles = (N + tileWidth - 1) / tileWidth;
    dim3 threadsPerBlock(tileWidth, tileWidth);
    dim3 blocksPerGrid((L + tileWidth - 1) / tileWidth, (M + tileWidth - 1) / tileWidth);
    matMul<<<blocksPerGrid, threadsPerBlock>>>(dC, dA, dB, nTiles);
    cudaDeviceSynchronize();

    cudaMemcpy(C, dC, M * L * sizeof(double), cudaMemcpyDeviceToHost);
    printf("%f\n", C[0]);
    return 0;
}
