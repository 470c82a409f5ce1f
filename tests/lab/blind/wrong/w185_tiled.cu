#include <stdio.h>
#include <cuda_runtime.h>

#define TILE_WIDTH 16

__global__ void matrixMulTiled(float* P, const float* M, const float* N, int J, int K, int L)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;
    float Pvalue = 0;

    for (int ph = 0; ph < (K + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {
        if (Row < J && ph * TILE_WIDTH + tx < K)
            Mds[ty][tx] = M[Row * K + ph * TILE_WIDTH + tx];
        if (ph * TILE_WIDTH + ty < K && Col < L)
            Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * L + Col];
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    if (Row < J && Col < L)
        P[Row * L + Col] = Pvalue;
}

int main(void)
{
    int J = 32, K = 40, L = 48;
    float *M, *N, *P;
    cudaMallocManaged(&M, J * K * sizeof(float));
    cudaMallocManaged(&N, K * L * sizeof(float));
    cudaMallocManaged(&P, J * L * sizeof(float));
    for (int i = 0; i < J * K; ++i) M[i] = 1.0f;
    for (int i = 0; i < K * L; ++i) N[i] = 1.0f;
    dim3 dimGrid((L + 15) / 16, (J + 15) / 16, 1);
    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH, 1);
    matrixMulTiled<<<dimGrid, dimBlock>>>(P, M, N, J, K, L);
    cudaDeviceSynchronize();
    printf("%f\n", P[0]);
    return 0;
}
