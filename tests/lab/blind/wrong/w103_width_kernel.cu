#include <stdio.h>
#include <stdlib.h>

#define TILE_WIDTH 16
#define BLOCK_WIDTH 8

/* square matrices, Width is a multiple of 16 */
__global__ void MatrixMulKernel(float* Md, float* Nd, float* Pd, int Width)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x; int ty = threadIdx.y;
    int Row = blockIdx.y * blockDim.y + ty;
    int Col = blockIdx.x * blockDim.x + tx;

    float Pvalue = 0;
    for (int m = 0; m < Width/TILE_WIDTH; ++m) {
        Mds[ty][tx] = Md[Row*Width + (m*TILE_WIDTH + tx)];
        Nds[ty][tx] = Nd[Col + (m*TILE_WIDTH + ty)*Width];
        __syncthreads();
        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[Row*Width+Col] = Pvalue;
}

void MatrixMultiplication(float* M, float* N, float* P, int Width)
{
    int size = Width * Width * sizeof(float);
    float *Md, *Nd, *Pd;

    cudaMalloc((void**)&Md, size);
    cudaMemcpy(Md, M, size, cudaMemcpyHostToDevice);
    cudaMalloc((void**)&Nd, size);
    cudaMemcpy(Nd, N, size, cudaMemcpyHostToDevice);
    cudaMalloc((void**)&Pd, size);

    dim3 dimBlock(BLOCK_WIDTH, BLOCK_WIDTH);
    dim3 dimGrid(Width / BLOCK_WIDTH, Width / BLOCK_WIDTH);
    MatrixMulKernel<<<dimGrid, dimBlock>>>(Md, Nd, Pd, Width);

    cudaMemcpy(P, Pd, size, cudaMemcpyDeviceToHost);
    cudaFree(Md); cudaFree(Nd); cudaFree(Pd);
}

int main(void)
{
    int Width = 128;
    float* M = (float*)malloc(Width * Width * sizeof(float));
    float* N = (float*)malloc(Width * Width * sizeof(float));
    float* P = (float*)malloc(Width * Width * sizeof(float));
    for (int i = 0; i < Width * Width; i++) {
        M[i] = i % 6;
        N[i] = i % 11;
    }

    MatrixMultiplication(M, N, P, Width);

    int ok = 1;
    for (int i = 0; i < Width && ok; i++)
        for (int j = 0; j < Width && ok; j++) {
            double sum = 0;
            for (int k = 0; k < Width; k++) {
                double a = M[i * Width + k];
                double b = N[k * Width + j];
                sum += a * b;
            }
            if (sum != P[i * Width + j]) {
                printf("P[%d][%d] = %f, expected %f\n", i, j, P[i * Width + j], sum);
                ok = 0;
            }
        }
    if (ok) printf("PASSED\n");
    free(M); free(N); free(P);
    return ok ? 0 : 1;
}
