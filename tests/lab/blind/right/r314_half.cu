// Project 2: mixed precision matmul (half in, float out)
#include <cuda_fp16.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE_WIDTH 16

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
   if (code != cudaSuccess)
   {
      fprintf(stderr,"GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
      exit(code);
   }
}

__global__ void hgemm(const __half *A, const __half *B, float *C, int M, int K, int N)
{
    __shared__ __half sA[TILE_WIDTH][TILE_WIDTH];
    __shared__ __half sB[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int Row = blockIdx.y * TILE_WIDTH + ty;
    int Col = blockIdx.x * TILE_WIDTH + tx;
    const __half zero = __float2half(0.0f);

    float Pvalue = 0;
    for (int ph = 0; ph < (K - 1) / TILE_WIDTH + 1; ++ph) {
        if (Row < M && ph * TILE_WIDTH + tx < K)
            sA[ty][tx] = A[Row * K + ph * TILE_WIDTH + tx];
        else
            sA[ty][tx] = zero;
        if (ph * TILE_WIDTH + ty < K && Col < N)
            sB[ty][tx] = B[(ph * TILE_WIDTH + ty) * N + Col];
        else
            sB[ty][tx] = zero;
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            Pvalue += __half2float(sA[ty][k]) * __half2float(sB[k][tx]);
        __syncthreads();
    }
    if (Row < M && Col < N)
        C[Row * N + Col] = Pvalue;
}

int main()
{
    int M = 100, K = 70, N = 130;
    __half *hA = (__half *)malloc(M * K * sizeof(__half));
    __half *hB = (__half *)malloc(K * N * sizeof(__half));
    float *hC = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) hA[i] = __float2half((i % 9) * 0.25f - 1.0f);
    for (int i = 0; i < K * N; i++) hB[i] = __float2half((i % 6) * 0.5f - 1.0f);

    __half *dA, *dB;
    float *dC;
    gpuErrchk(cudaMalloc((void **)&dA, M * K * sizeof(__half)));
    gpuErrchk(cudaMalloc((void **)&dB, K * N * sizeof(__half)));
    gpuErrchk(cudaMalloc((void **)&dC, M * N * sizeof(float)));
    gpuErrchk(cudaMemcpy(dA, hA, M * K * sizeof(__half), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dB, hB, K * N * sizeof(__half), cudaMemcpyHostToDevice));

    dim3 DimGrid((N - 1) / TILE_WIDTH + 1, (M - 1) / TILE_WIDTH + 1, 1);
    dim3 DimBlock(TILE_WIDTH, TILE_WIDTH, 1);
    hgemm<<<DimGrid, DimBlock>>>(dA, dB, dC, M, K, N);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaMemcpy(hC, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost));

    int mism = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += __half2float(hA[i * K + k]) * __half2float(hB[k * N + j]);
            if (fabsf(s - hC[i * N + j]) > 1e-3f * (1 + fabsf(s))) mism++;
        }
    printf("mismatches: %d\n", mism);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
