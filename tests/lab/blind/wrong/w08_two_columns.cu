// Thread coarsening: every thread computes two elements of C in the same row.
// The matrices are SIZE x SIZE, SIZE is a multiple of 2*TW.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define SIZE 512
#define TW 16

__global__ void mm_coarse(float *A, float *B, float *C, int n)
{
    __shared__ float a[TW][TW];
    __shared__ float b[TW][2 * TW];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TW + ty;
    int col = blockIdx.x * 2 * TW + tx;

    float c0 = 0, c1 = 0;
    for (int m = 0; m < n / TW; m++) {
        a[ty][tx] = A[row * n + m * TW + tx];
        b[ty][tx] = B[(m * TW + ty) * n + col];
        b[ty][tx + TW] = B[(m * TW + ty) * n + col + TW];
        __syncthreads();
        for (int k = 0; k < TW; k++) {
            c0 += a[ty][k] * b[k][tx];
            c1 += a[ty][k] * b[k][tx + TW];
        }
    }
    C[row * n + col] = c0;
    C[row * n + col + TW] = c1;
}

int main(void)
{
    int i, j, k, wrong = 0;
    size_t sz = SIZE * SIZE * sizeof(float);
    float *hA = (float *)malloc(sz), *hB = (float *)malloc(sz), *hC = (float *)malloc(sz);
    float *dA, *dB, *dC;

    for (i = 0; i < SIZE * SIZE; i++) { hA[i] = i % 3; hB[i] = (i * 7) % 5; }
    cudaMalloc((void **)&dA, sz);
    cudaMalloc((void **)&dB, sz);
    cudaMalloc((void **)&dC, sz);
    cudaMemcpy(dA, hA, sz, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, sz, cudaMemcpyHostToDevice);

    mm_coarse<<<dim3(SIZE / (2 * TW), SIZE / TW), dim3(TW, TW)>>>(dA, dB, dC, SIZE);
    cudaMemcpy(hC, dC, sz, cudaMemcpyDeviceToHost);

    for (i = 0; i < SIZE; i++)
        for (j = 0; j < SIZE; j++) {
            float s = 0;
            for (k = 0; k < SIZE; k++)
                s += hA[i * SIZE + k] * hB[k * SIZE + j];
            if (s != hC[i * SIZE + j]) wrong++;
        }
    printf("%d wrong elements\n", wrong);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
