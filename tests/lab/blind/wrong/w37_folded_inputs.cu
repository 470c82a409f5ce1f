#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// reduced product: pairs of rows of A and pairs of columns of B are added before multiplying
#define S 16

__global__ void folded(const float *A, const float *B, float *C, int aRows, int bCols, int K)
{
    __shared__ float a[S][S];
    __shared__ float b[S][S];
    int outRows = aRows / 2;
    int outCols = bCols / 2;
    int i = blockIdx.y * S + threadIdx.y;
    int j = blockIdx.x * S + threadIdx.x;
    float acc = 0.0f;

    for (int k0 = 0; k0 < K; k0 += S) {
        int ka = k0 + threadIdx.x;
        int kb = k0 + threadIdx.y;
        if (i < outRows && ka < K)
            a[threadIdx.y][threadIdx.x] = A[(2 * i) * K + ka] + A[(2 * i + 1) * K + ka];
        else
            a[threadIdx.y][threadIdx.x] = 0.0f;
        if (kb < K && j < outCols)
            b[threadIdx.y][threadIdx.x] = B[kb * bCols + 2 * j] + B[kb * bCols + 2 * j + 1];
        else
            b[threadIdx.y][threadIdx.x] = 0.0f;
        __syncthreads();

        for (int k = 0; k < S; k++)
            acc = a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    if (i < outRows && j < outCols)
        C[i * outCols + j] = acc;
}

#ifndef NO_DRIVER
static void run(int aRows, int bCols, int K, const float *A, const float *B, float *C)
{
    float *dA, *dB, *dC;
    int outRows = aRows / 2, outCols = bCols / 2;
    cudaMalloc((void **)&dA, aRows * K * sizeof(float));
    cudaMalloc((void **)&dB, K * bCols * sizeof(float));
    cudaMalloc((void **)&dC, outRows * outCols * sizeof(float));
    cudaMemcpy(dA, A, aRows * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * bCols * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(S, S);
    dim3 grid((outCols + S - 1) / S, (outRows + S - 1) / S);
    folded<<<grid, block>>>(dA, dB, dC, aRows, bCols, K);
    cudaMemcpy(C, dC, outRows * outCols * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}

void reducedProduct(int aRows, int bCols, int K, const float *A, const float *B, float *C)
{
    // both have to be even
    if (aRows % 2 || bCols % 2) {
        fprintf(stderr, "odd size\n");
        exit(1);
    }
    run(aRows, bCols, K, A, B, C);
}
#endif
