#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TILE 16

// n x n matrices, n has to be a multiple of TILE.
// The next tile is fetched into registers while the current one is being multiplied.
__global__ void mmPrefetch(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float nextA = A[row * n + tx];
    float nextB = B[ty * n + col];
    float sum = 0.0f;

    for (int t = 0; t < n / TILE; t++) {
        As[ty][tx] = nextA;
        Bs[ty][tx] = nextB;
        __syncthreads();

        nextA = A[row * n + (t + 1) * TILE + tx];
        nextB = B[((t + 1) * TILE + ty) * n + col];

        for (int k = 0; k < TILE; k++)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 512;
    if (n % TILE != 0) {
        fprintf(stderr, "n must be a multiple of %d\n", TILE);
        return 1;
    }
    size_t bytes = (size_t)n * n * sizeof(float);
    float *A = (float *)malloc(bytes), *B = (float *)malloc(bytes), *C = (float *)malloc(bytes);
    for (int i = 0; i < n * n; i++) {
        A[i] = i % 6;
        B[i] = i % 7;
    }
    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, bytes);
    cudaMalloc((void **)&dB, bytes);
    cudaMalloc((void **)&dC, bytes);
    cudaMemcpy(dA, A, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, bytes, cudaMemcpyHostToDevice);
    dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
    mmPrefetch<<<grid, block>>>(dA, dB, dC, n);
    cudaMemcpy(C, dC, bytes, cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = 0; k < n; k++) s += A[i * n + k] * B[k * n + j];
            if (fabsf(s - C[i * n + j]) > 1e-3f * s) errors++;
        }
    printf("errors %d\n", errors);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
