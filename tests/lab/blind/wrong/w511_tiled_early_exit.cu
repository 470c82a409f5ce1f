// Project 1, part B: tiled matrix multiplication.
// A (M x K) times B (K x N). Works with sizes that are not a multiple of 16.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TILE_WIDTH 16

__global__ void MatrixMulKernel(const float *Md, const float *Nd, float *Pd, int M, int N, int K)
{
    __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int Row = blockIdx.y * TILE_WIDTH + ty;
    int Col = blockIdx.x * TILE_WIDTH + tx;

    // threads outside of the result have no work to do
    if (Row >= M || Col >= N)
        return;

    float Pvalue = 0;
    for (int ph = 0; ph < (K + TILE_WIDTH - 1) / TILE_WIDTH; ++ph) {
        // pad the last phase with zeros
        if (ph * TILE_WIDTH + tx < K)
            Mds[ty][tx] = Md[Row * K + ph * TILE_WIDTH + tx];
        else
            Mds[ty][tx] = 0.0f;
        if (ph * TILE_WIDTH + ty < K)
            Nds[ty][tx] = Nd[(ph * TILE_WIDTH + ty) * N + Col];
        else
            Nds[ty][tx] = 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[Row * N + Col] = Pvalue;
}

int main(int argc, char **argv)
{
    int M = 256, N = 256, K = 256;
    if (argc > 3) {
        M = atoi(argv[1]);
        N = atoi(argv[2]);
        K = atoi(argv[3]);
    }
    size_t bytesM = (size_t)M * K * sizeof(float);
    size_t bytesN = (size_t)K * N * sizeof(float);
    size_t bytesP = (size_t)M * N * sizeof(float);
    float *Mh = (float *)malloc(bytesM), *Nh = (float *)malloc(bytesN), *Ph = (float *)malloc(bytesP);
    for (int i = 0; i < M * K; i++) Mh[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < K * N; i++) Nh[i] = rand() / (float)RAND_MAX;

    float *Md, *Nd, *Pd;
    cudaMalloc((void **)&Md, bytesM);
    cudaMalloc((void **)&Nd, bytesN);
    cudaMalloc((void **)&Pd, bytesP);
    cudaMemcpy(Md, Mh, bytesM, cudaMemcpyHostToDevice);
    cudaMemcpy(Nd, Nh, bytesN, cudaMemcpyHostToDevice);

    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
    dim3 dimGrid((N - 1) / TILE_WIDTH + 1, (M - 1) / TILE_WIDTH + 1);
    MatrixMulKernel<<<dimGrid, dimBlock>>>(Md, Nd, Pd, M, N, K);
    cudaMemcpy(Ph, Pd, bytesP, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++)
                s += (double)Mh[i * K + k] * Nh[k * N + j];
            if (fabs(s - Ph[i * N + j]) > 1e-3 * (1 + fabs(s)))
                wrong++;
        }
    printf("%d wrong elements\n", wrong);

    cudaFree(Md); cudaFree(Nd); cudaFree(Pd);
    free(Mh); free(Nh); free(Ph);
    return 0;
}
