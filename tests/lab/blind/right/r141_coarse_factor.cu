#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE_WIDTH 16
#define COARSE_FACTOR 3

// P (height x width) = M (height x inner) * N (inner x width)
__global__ void matrixMulCoarse(float* M, float* N, float* P, int height, int inner, int width)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int bx = blockIdx.x;  int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;

    int row = by * TILE_WIDTH + ty;
    int colStart = bx * TILE_WIDTH * COARSE_FACTOR + tx;

    float Pvalue[COARSE_FACTOR];
    for (int c = 0; c < COARSE_FACTOR; ++c)
        Pvalue[c] = 0.0f;

    for (int ph = 0; ph < (inner + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {

        // tile of M, used for all the column tiles
        if (row < height && ph * TILE_WIDTH + tx < inner)
            Mds[ty][tx] = M[row * inner + ph * TILE_WIDTH + tx];
        else
            Mds[ty][tx] = 0.0f;

        for (int c = 0; c < COARSE_FACTOR; ++c) {
            int col = colStart + c * TILE_WIDTH;

            if (ph * TILE_WIDTH + ty < inner && col < width)
                Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * width + col];
            else
                Nds[ty][tx] = 0.0f;
            __syncthreads();

            for (int k = 0; k < TILE_WIDTH; ++k)
                Pvalue[c] += Mds[ty][k] * Nds[k][tx];
            __syncthreads();
        }
    }

    for (int c = 0; c < COARSE_FACTOR; ++c) {
        int col = colStart + c * TILE_WIDTH;
        if (row < height && col < width)
            P[row * width + col] = Pvalue[c];
    }
}

int main(void)
{
    int height = 73, inner = 58, width = 205;
    float* M = (float*)malloc(height * inner * sizeof(float));
    float* N = (float*)malloc(inner * width * sizeof(float));
    float* P = (float*)malloc(height * width * sizeof(float));
    for (int i = 0; i < height * inner; i++) M[i] = (i % 10) - 4.5f;
    for (int i = 0; i < inner * width; i++) N[i] = (i % 7) * 0.25f;

    float *M_d, *N_d, *P_d;
    cudaMalloc((void**)&M_d, height * inner * sizeof(float));
    cudaMalloc((void**)&N_d, inner * width * sizeof(float));
    cudaMalloc((void**)&P_d, height * width * sizeof(float));
    cudaMemcpy(M_d, M, height * inner * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(N_d, N, inner * width * sizeof(float), cudaMemcpyHostToDevice);

    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH, 1);
    dim3 dimGrid((int)ceil(width / (double)(TILE_WIDTH * COARSE_FACTOR)),
                 (int)ceil(height / (double)TILE_WIDTH), 1);
    matrixMulCoarse<<<dimGrid, dimBlock>>>(M_d, N_d, P_d, height, inner, width);
    cudaMemcpy(P, P_d, height * width * sizeof(float), cudaMemcpyDeviceToHost);

    int ok = 1;
    for (int i = 0; i < height && ok; i++)
        for (int j = 0; j < width; j++) {
            float s = 0;
            for (int k = 0; k < inner; k++) s += M[i * inner + k] * N[k * width + j];
            if (fabsf(s - P[i * width + j]) > 1e-2f) { ok = 0; break; }
        }
    puts(ok ? "Test passed" : "Test failed");

    cudaFree(M_d); cudaFree(N_d); cudaFree(P_d);
    free(M); free(N); free(P);
    return !ok;
}
