// Reduced matmul: C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A is M x K, B is K x N, C is (M/2) x (N/2); M and N even.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TS 16

__global__ void reducedMatmul(const float *A, const float *B, float *C,
                              int M, int N, int K)
{
    __shared__ float sA[TS][TS];
    __shared__ float sB[TS][TS];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TS + ty;
    int j = blockIdx.x * TS + tx;
    int rowsC = M / 2, colsC = N / 2;

    float sum = 0.0f;
    for (int t = 0; t < (K + TS - 1) / TS; ++t) {
        int ka = t * TS + tx;
        int kb = t * TS + ty;

        if (i < rowsC && ka < K)
            sA[ty][tx] = A[(2 * i) * K + ka] + A[(2 * i + 1) * K + ka];
        else
            sA[ty][tx] = 0.0f;

        if (j < colsC && kb < K)
            sB[ty][tx] = B[kb * N + 2 * j] + B[kb * N + 2 * j + 1];
        else
            sB[ty][tx] = 0.0f;
        __syncthreads();

        for (int k = 0; k < TS; ++k)
            sum += sA[ty][k] * sB[k][tx];
    }

    if (i < rowsC && j < colsC)
        C[i * colsC + j] = sum;
}

int main()
{
    const int M = 130, N = 94, K = 77;
    size_t szA = M * K, szB = K * N, szC = (M / 2) * (N / 2);
    float *hA = (float *)malloc(szA * sizeof(float));
    float *hB = (float *)malloc(szB * sizeof(float));
    float *hC = (float *)malloc(szC * sizeof(float));
    for (size_t x = 0; x < szA; ++x) hA[x] = (float)(x % 7) - 3.0f;
    for (size_t x = 0; x < szB; ++x) hB[x] = (float)(x % 5) - 2.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, szA * sizeof(float));
    cudaMalloc(&dB, szB * sizeof(float));
    cudaMalloc(&dC, szC * sizeof(float));
    cudaMemcpy(dA, hA, szA * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, szB * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(TS, TS);
    dim3 grid((N / 2 + TS - 1) / TS, (M / 2 + TS - 1) / TS);
    reducedMatmul<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(hC, dC, szC * sizeof(float), cudaMemcpyDeviceToHost);

    float maxErr = 0.0f;
    for (int i = 0; i < M / 2; ++i)
        for (int j = 0; j < N / 2; ++j) {
            float ref = 0.0f;
            for (int k = 0; k < K; ++k)
                ref += (hA[2 * i * K + k] + hA[(2 * i + 1) * K + k]) *
                       (hB[k * N + 2 * j] + hB[k * N + 2 * j + 1]);
            maxErr = fmaxf(maxErr, fabsf(ref - hC[i * (N / 2) + j]));
        }
    printf("max error: %g\n", maxErr);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
