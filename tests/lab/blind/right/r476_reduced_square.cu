// Full tile of A*B in shared memory first, then every 2x2 square of it is summed.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define W 16            /* even */

__global__ void squares(const int *A, const int *B, int *C, int R, int K, int S)
{
    __shared__ int a[W][W];
    __shared__ int b[W][W];
    __shared__ int prod[W][W];

    int tx = threadIdx.x, ty = threadIdx.y;
    int r = blockIdx.y * W + ty;
    int s = blockIdx.x * W + tx;
    int v = 0;

    for (int t = 0; t < (K + W - 1) / W; t++) {
        a[ty][tx] = 0;
        b[ty][tx] = 0;
        if (r < R && t * W + tx < K) a[ty][tx] = A[r * K + t * W + tx];
        if (s < S && t * W + ty < K) b[ty][tx] = B[(t * W + ty) * S + s];
        __syncthreads();
        for (int k = 0; k < W; k++)
            v += a[ty][k] * b[k][tx];
        __syncthreads();
    }

    prod[ty][tx] = v;
    __syncthreads();

    if (ty < W / 2 && tx < W / 2) {
        int i = blockIdx.y * (W / 2) + ty;
        int j = blockIdx.x * (W / 2) + tx;
        if (i < R / 2 && j < S / 2)
            C[i * (S / 2) + j] = prod[2 * ty][2 * tx] + prod[2 * ty][2 * tx + 1]
                               + prod[2 * ty + 1][2 * tx] + prod[2 * ty + 1][2 * tx + 1];
    }
}

int main(void)
{
    int R = 44, K = 29, S = 70;
    int *A, *B, *C;
    cudaMallocManaged(&A, R * K * sizeof(int));
    cudaMallocManaged(&B, K * S * sizeof(int));
    cudaMallocManaged(&C, (R / 2) * (S / 2) * sizeof(int));
    for (int i = 0; i < R * K; i++) A[i] = rand() % 9 - 4;
    for (int i = 0; i < K * S; i++) B[i] = rand() % 9 - 4;

    dim3 block(W, W), grid((S + W - 1) / W, (R + W - 1) / W);
    squares<<<grid, block>>>(A, B, C, R, K, S);
    cudaDeviceSynchronize();

    int bad = 0;
    for (int i = 0; i < R / 2; i++)
        for (int j = 0; j < S / 2; j++) {
            int want = 0;
            for (int k = 0; k < K; k++)
                want += (A[2 * i * K + k] + A[(2 * i + 1) * K + k])
                      * (B[k * S + 2 * j] + B[k * S + 2 * j + 1]);
            if (want != C[i * (S / 2) + j]) bad++;
        }
    printf("%d wrong\n", bad);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return bad;
}
