// Reduced matmul on double, tiles hold both elements of each pair.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define W 16

// C (M/2 x N/2), C[i,j] = sum_k (A[2i,k]+A[2i+1,k]) * (B[k,2j]+B[k,2j+1])
__global__ void reducedTiled(const double *A, const double *B, double *C,
                             int M, int N, int K)
{
    __shared__ double sA[2 * W][W];
    __shared__ double sB[W][2 * W];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int rowA = blockIdx.y * 2 * W;
    const int colB = blockIdx.x * 2 * W;
    double acc = 0.0;

    for (int k0 = 0; k0 < K; k0 += W) {
        for (int h = 0; h < 2; ++h) {
            int r = rowA + ty + h * W;
            int c = colB + tx + h * W;
            int ka = k0 + tx;
            int kb = k0 + ty;
            sA[ty + h * W][tx] = (r < M && ka < K) ? A[r * K + ka] : 0.0;
            sB[ty][tx + h * W] = (kb < M && c < N) ? B[kb * N + c] : 0.0;
        }
        __syncthreads();

        for (int k = 0; k < W; ++k)
            acc += (sA[2 * ty][k] + sA[2 * ty + 1][k]) *
                   (sB[k][2 * tx] + sB[k][2 * tx + 1]);
        __syncthreads();
    }

    const int i = blockIdx.y * W + ty;
    const int j = blockIdx.x * W + tx;
    if (i < M / 2 && j < N / 2)
        C[i * (N / 2) + j] = acc;
}

int main()
{
    const int M = 60, N = 84, K = 150;
    const int R = M / 2, S = N / 2;
    double *A = (double *)malloc(M * K * sizeof(double));
    double *B = (double *)malloc(K * N * sizeof(double));
    double *C = (double *)malloc(R * S * sizeof(double));
    for (int i = 0; i < M * K; ++i) A[i] = (i % 8) * 0.5;
    for (int i = 0; i < K * N; ++i) B[i] = (i % 6) * 0.25;

    double *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * sizeof(double));
    cudaMalloc(&dB, K * N * sizeof(double));
    cudaMalloc(&dC, R * S * sizeof(double));
    cudaMemcpy(dA, A, M * K * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block(W, W);
    dim3 grid((S + W - 1) / W, (R + W - 1) / W);
    reducedTiled<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, R * S * sizeof(double), cudaMemcpyDeviceToHost);

    double err = 0.0;
    for (int i = 0; i < R; ++i)
        for (int j = 0; j < S; ++j) {
            double s = 0.0;
            for (int k = 0; k < K; ++k)
                s += (A[2 * i * K + k] + A[(2 * i + 1) * K + k]) *
                     (B[k * N + 2 * j] + B[k * N + 2 * j + 1]);
            err = fmax(err, fabs(s - C[i * S + j]));
        }
    printf("max error: %g\n", err);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
