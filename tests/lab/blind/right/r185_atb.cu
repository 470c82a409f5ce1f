#include <cstdio>
#include <cuda_runtime.h>

#define TS 16

// C = A^T * B;  A is stored as K x M, B as K x N, C as M x N (all row major)
__global__ void gemm_tn(int M, int N, int K, const float* A, const float* B, float* C)
{
    __shared__ float sa[TS][TS];   // sa[k][i]
    __shared__ float sb[TS][TS];   // sb[k][j]

    int tx = threadIdx.x, ty = threadIdx.y;
    int i0 = blockIdx.y * TS;
    int j0 = blockIdx.x * TS;
    float sum = 0.f;

    for (int k0 = 0; k0 < K; k0 += TS) {
        int k = k0 + ty;
        sa[ty][tx] = 0.f;
        sb[ty][tx] = 0.f;
        if (k < K) {
            if (i0 + tx < M) sa[ty][tx] = A[k * M + i0 + tx];
            if (j0 + tx < N) sb[ty][tx] = B[k * N + j0 + tx];
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < TS; ++q)
            sum += sa[q][ty] * sb[q][tx];
        __syncthreads();
    }

    if (i0 + ty < M && j0 + tx < N)
        C[(i0 + ty) * N + j0 + tx] = sum;
}

int main(void)
{
    const int M = 33, N = 50, K = 27;
    float *A, *B, *C;
    cudaMallocManaged(&A, sizeof(float) * K * M);
    cudaMallocManaged(&B, sizeof(float) * K * N);
    cudaMallocManaged(&C, sizeof(float) * M * N);
    for (int t = 0; t < K * M; ++t) A[t] = t % 3;
    for (int t = 0; t < K * N; ++t) B[t] = t % 4;
    dim3 block(TS, TS), grid((N + TS - 1) / TS, (M + TS - 1) / TS);
    gemm_tn<<<grid, block>>>(M, N, K, A, B, C);
    cudaDeviceSynchronize();
    float ref = 0;
    for (int k = 0; k < K; ++k) ref += A[k * M + M - 1] * B[k * N + N - 1];
    printf("%f %f\n", C[M * N - 1], ref);
    return 0;
}
