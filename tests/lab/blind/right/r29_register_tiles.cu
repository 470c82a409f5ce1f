// Register blocking: 8x8 outputs per thread, 64x64 outputs per block, 8x8 threads
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CHK(c) if ((c) != cudaSuccess) { printf("cuda failure line %d\n", __LINE__); exit(3); }

enum { BM = 64, BN = 64, BK = 8, RT = 8, NTHREADS = 64 };

__global__ void gemm8x8(int m, int n, int k, const float* A, const float* B, float* C)
{
    __shared__ float As[BK][BM + 1];
    __shared__ float Bs[BK][BN];

    int tid = threadIdx.y * 8 + threadIdx.x;   // 0..63
    int row0 = blockIdx.y * BM;
    int col0 = blockIdx.x * BN;

    float acc[RT][RT];
    for (int i = 0; i < RT; i++)
        for (int j = 0; j < RT; j++)
            acc[i][j] = 0.0f;

    for (int kb = 0; kb < k; kb += BK) {
        // 64*8 = 512 elements for each tile, 8 per thread
        for (int e = tid; e < BM * BK; e += NTHREADS) {
            int r = e / BK, c = e % BK;
            int gr = row0 + r, gc = kb + c;
            As[c][r] = (gr < m && gc < k) ? A[gr * k + gc] : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += NTHREADS) {
            int r = e / BN, c = e % BN;
            int gr = kb + r, gc = col0 + c;
            Bs[r][c] = (gr < k && gc < n) ? B[gr * n + gc] : 0.0f;
        }
        __syncthreads();

        #pragma unroll
        for (int p = 0; p < BK; p++) {
            float ra[RT], rb[RT];
            #pragma unroll
            for (int i = 0; i < RT; i++) ra[i] = As[p][threadIdx.y * RT + i];
            #pragma unroll
            for (int j = 0; j < RT; j++) rb[j] = Bs[p][threadIdx.x + 8 * j];
            #pragma unroll
            for (int i = 0; i < RT; i++)
                #pragma unroll
                for (int j = 0; j < RT; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < RT; i++) {
        int r = row0 + threadIdx.y * RT + i;
        if (r >= m) break;
        for (int j = 0; j < RT; j++) {
            int c = col0 + threadIdx.x + 8 * j;
            if (c < n) C[r * n + c] = acc[i][j];
        }
    }
}

int main()
{
    int m = 150, n = 135, k = 77;
    float* hA = (float*)malloc(sizeof(float) * m * k);
    float* hB = (float*)malloc(sizeof(float) * k * n);
    float* hC = (float*)malloc(sizeof(float) * m * n);
    for (int i = 0; i < m * k; i++) hA[i] = (rand() & 255) / 256.0f;
    for (int i = 0; i < k * n; i++) hB[i] = (rand() & 255) / 256.0f;
    float *A, *B, *C;
    CHK(cudaMalloc(&A, sizeof(float) * m * k));
    CHK(cudaMalloc(&B, sizeof(float) * k * n));
    CHK(cudaMalloc(&C, sizeof(float) * m * n));
    CHK(cudaMemcpy(A, hA, sizeof(float) * m * k, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(B, hB, sizeof(float) * k * n, cudaMemcpyHostToDevice));

    dim3 grid((n + BN - 1) / BN, (m + BM - 1) / BM);
    gemm8x8<<<grid, dim3(8, 8)>>>(m, n, k, A, B, C);
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(hC, C, sizeof(float) * m * n, cudaMemcpyDeviceToHost));

    int ok = 1;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int p = 0; p < k; p++) s += hA[i * k + p] * hB[p * n + j];
            if (!(fabsf(s - hC[i * n + j]) <= 1e-2f)) ok = 0;
        }
    printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(A); cudaFree(B); cudaFree(C);
    free(hA); free(hB); free(hC);
    return !ok;
}
