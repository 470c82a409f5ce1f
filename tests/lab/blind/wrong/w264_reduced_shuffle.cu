// Reduced matrix product with tiles in dynamic shared memory.
// Each thread computes one entry of A*B; neighbouring threads of the same row
// exchange their sums by a shuffle, rows are paired through shared memory.
// rows(A) and cols(B) have to be even.
#include <cuda_runtime.h>
#include <stdio.h>

#define TX 32
#define TY 8
#define TK 32

__global__ void reduced(const float *A, const float *B, float *R, int m, int k, int n)
{
    extern __shared__ float pool[];
    float *as = pool;               /* TY rows of TK */
    float *bs = pool + TY * TK;     /* TK rows of TX */

    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TY + y;
    int col = blockIdx.x * TX + x;
    float s = 0.0f;

    for (int k0 = 0; k0 < k; k0 += TK) {
        as[y * TK + x] = (row < m && k0 + x < k) ? A[(size_t)row * k + k0 + x] : 0.0f;
        for (int r = y; r < TK; r += TY)
            bs[r * TX + x] = (k0 + r < k && col < n) ? B[(size_t)(k0 + r) * n + col] : 0.0f;
        __syncthreads();
        for (int p = 0; p < TK; p++)
            s += as[y * TK + p] * bs[p * TX + x];
        __syncthreads();
    }

    s += __shfl_down_sync(0xffffffffu, s, 1);   /* even x: sum of the pair of columns */
    as[y * TX + x] = s;
    __syncthreads();

    if (x % 2 == 0 && y % 2 == 0 && row < m && col < n)
        R[(size_t)(row / 2) * (n / 2) + col / 2] = as[y * TX + x] + as[(y + 1) * TX + x];
}

int reducedProduct(const float *A, const float *B, float *R, int m, int k, int n)
{
    float *dA, *dB, *dR;
    cudaError_t err;

    if (m % 2 || n % 2) return -1;
    cudaMalloc(&dA, sizeof(float) * m * k);
    cudaMalloc(&dB, sizeof(float) * k * n);
    cudaMalloc(&dR, sizeof(float) * (m / 2) * (n / 2));
    cudaMemcpy(dA, A, sizeof(float) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(float) * k * n, cudaMemcpyHostToDevice);

    dim3 threads(TX, TY);
    dim3 blocks((n + TX - 1) / TX, (m + TY - 1) / TY);
    size_t shared = TK * TX * sizeof(float);
    reduced<<<blocks, threads, shared>>>(dA, dB, dR, m, k, n);
    err = cudaGetLastError();
    if (err != cudaSuccess) fprintf(stderr, "launch: %s\n", cudaGetErrorString(err));

    cudaMemcpy(R, dR, sizeof(float) * (m / 2) * (n / 2), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    return err == cudaSuccess ? 0 : -1;
}
