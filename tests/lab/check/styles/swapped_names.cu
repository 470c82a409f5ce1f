#include <cstdio>
#include <cuda_runtime.h>
#define TILE 16
// "row" runs along x here; M rows of A, N the inner size, K the columns of B.
__global__ void MatMulKernel(float* __restrict__ Md, float* __restrict__ Nd, float* __restrict__ Pd, int M, int N, int K)
{
    __shared__ float Mds[TILE][TILE];
    __shared__ float Nds[TILE][TILE];
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int Row = bx * TILE + tx;
    int Col = by * TILE + ty;
    float Pvalue = 0.0f;
    for (int ph = 0; ph < (N - 1) / TILE + 1; ++ph) {
        Mds[tx][ty] = (Row < M && ph * TILE + ty < N) ? Md[Row * N + ph * TILE + ty] : 0.0f;
        Nds[tx][ty] = (ph * TILE + tx < N && Col < K) ? Nd[(ph * TILE + tx) * K + Col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; ++k) Pvalue += Mds[tx][k] * Nds[k][ty];
        __syncthreads();
    }
    if (Row < M && Col < K) Pd[Row * K + Col] = Pvalue;
}
int main(int argc, char** argv)
{
    int M = 100, N = 200, K = 300;
    float *Md, *Nd, *Pd;
    cudaMalloc((void**)&Md, M * N * sizeof(float));
    cudaMalloc((void**)&Nd, N * K * sizeof(float));
    cudaMalloc((void**)&Pd, M * K * sizeof(float));
    dim3 dimBlock(TILE, TILE);
    dim3 dimGrid((M - 1) / TILE + 1, (K - 1) / TILE + 1, 1);
    MatMulKernel<<<dimGrid, dimBlock>>>(Md, Nd, Pd, M, N, K);
    cudaDeviceSynchronize();
    return 0;
}
