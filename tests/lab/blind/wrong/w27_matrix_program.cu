#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TILE_WIDTH 32
#define BLOCK_SIZE 16

__global__ void MatrixMulKernel(float *d_M, float *d_N, float *d_P, int j, int k, int l)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = by * TILE_WIDTH + ty;
    int col = bx * TILE_WIDTH + tx;

    float pvalue = 0;
    for (int ph = 0; ph < (k + TILE_WIDTH - 1) / TILE_WIDTH; ph++) {
        if (row < j && ph * TILE_WIDTH + tx < k)
            Mds[ty][tx] = d_M[row * k + ph * TILE_WIDTH + tx];
        else
            Mds[ty][tx] = 0.0f;
        if (ph * TILE_WIDTH + ty < k && col < l)
            Nds[ty][tx] = d_N[(ph * TILE_WIDTH + ty) * l + col];
        else
            Nds[ty][tx] = 0.0f;
        __syncthreads();

        for (int i = 0; i < TILE_WIDTH; i++)
            pvalue += Mds[ty][i] * Nds[i][tx];
        __syncthreads();
    }
    if (row < j && col < l)
        d_P[row * l + col] = pvalue;
}

// P (j x l) = M (j x k) * N (k x l)
int main(int argc, char **argv)
{
    int j = 256, k = 256, l = 256;
    if (argc == 4) {
        j = atoi(argv[1]);
        k = atoi(argv[2]);
        l = atoi(argv[3]);
    }
    float *M = (float *)malloc(j * k * sizeof(float));
    float *N = (float *)malloc(k * l * sizeof(float));
    float *P = (float *)malloc(j * l * sizeof(float));
    for (int i = 0; i < j * k; i++) M[i] = rand() % 3;
    for (int i = 0; i < k * l; i++) N[i] = rand() % 3;

    float *d_M, *d_N, *d_P;
    cudaMalloc((void **)&d_M, j * k * sizeof(float));
    cudaMalloc((void **)&d_N, k * l * sizeof(float));
    cudaMalloc((void **)&d_P, j * l * sizeof(float));
    cudaMemcpy(d_M, M, j * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_N, N, k * l * sizeof(float), cudaMemcpyHostToDevice);

    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid((l + BLOCK_SIZE - 1) / BLOCK_SIZE, (j + BLOCK_SIZE - 1) / BLOCK_SIZE);
    MatrixMulKernel<<<dimGrid, dimBlock>>>(d_M, d_N, d_P, j, k, l);
    cudaMemcpy(P, d_P, j * l * sizeof(float), cudaMemcpyDeviceToHost);

    float maxErr = 0;
    for (int r = 0; r < j; r++)
        for (int c = 0; c < l; c++) {
            float s = 0;
            for (int i = 0; i < k; i++) s += M[r * k + i] * N[i * l + c];
            float e = fabsf(s - P[r * l + c]);
            if (!(e <= maxErr)) maxErr = e;
        }
    printf("max error %s zero\n", maxErr == 0 ? "is" : "is not");
    cudaFree(d_M); cudaFree(d_N); cudaFree(d_P);
    free(M); free(N); free(P);
    return 0;
}
