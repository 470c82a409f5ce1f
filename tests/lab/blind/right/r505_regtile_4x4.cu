// SGEMM step 3: each block makes a 64x64 piece of C, each thread a 4x4 piece of that.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BM 64
#define BN 64
#define BK 16
#define TM 4
#define TN 4
#define NTHREADS ((BM / TM) * (BN / TN))

__global__ void sgemm_regtile(int M, int N, int K, const float *A, const float *B, float *C)
{
    __shared__ float As[BK][BM];   // transposed on the way in
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN);
    const int tc = tid % (BN / TN);
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += NTHREADS) {
            int r = e / BK, k = e % BK;
            As[k][r] = (row0 + r < M && k0 + k < K) ? A[(row0 + r) * K + k0 + k] : 0.f;
        }
        for (int e = tid; e < BK * BN; e += NTHREADS) {
            int k = e / BN, c = e % BN;
            Bs[k][c] = (k0 + k < K && col0 + c < N) ? B[(k0 + k) * N + col0 + c] : 0.f;
        }
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            float ra[TM], rb[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) ra[i] = As[k][tr * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) rb[j] = Bs[k][tc * TN + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        int r = row0 + tr * TM + i;
        if (r >= M) break;
        for (int j = 0; j < TN; ++j) {
            int c = col0 + tc * TN + j;
            if (c < N) C[r * N + c] = acc[i][j];
        }
    }
}

int main()
{
    const int M = 150, N = 333, K = 91;
    float *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(float));
    cudaMallocManaged(&B, K * N * sizeof(float));
    cudaMallocManaged(&C, M * N * sizeof(float));
    for (int i = 0; i < M * K; ++i) A[i] = drand48() - 0.5;
    for (int i = 0; i < K * N; ++i) B[i] = drand48() - 0.5;

    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    sgemm_regtile<<<grid, NTHREADS>>>(M, N, K, A, B, C);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("kernel failed\n");
        return 1;
    }

    float maxdiff = 0.f;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.f;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            maxdiff = fmaxf(maxdiff, fabsf(s - C[i * N + j]));
        }
    printf("max diff = %g\n", maxdiff);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return maxdiff > 1e-4f;
}
