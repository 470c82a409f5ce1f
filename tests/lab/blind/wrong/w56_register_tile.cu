#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BM 32
#define BN 64
#define BK 16

// 16 x 8 threads, each computes 4 x 4 elements; M % 32 == 0, N % 64 == 0, K % 16 == 0
__global__ void gemm4x4(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[BM][BK];
    __shared__ float sB[BK][BM];

    int tx = threadIdx.x;            // 0..15
    int ty = threadIdx.y;            // 0..7
    int tid = ty * 16 + tx;          // 0..127
    int row0 = blockIdx.y * BM;
    int col0 = blockIdx.x * BN;
    float acc[4][4] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        // 32 x 16 floats of A = 128 float4
        int ar = tid / 4, ac = (tid % 4) * 4;
        float4 va = *reinterpret_cast<const float4 *>(&A[(row0 + ar) * K + k0 + ac]);
        sA[ar][ac] = va.x;
        sA[ar][ac + 1] = va.y;
        sA[ar][ac + 2] = va.z;
        sA[ar][ac + 3] = va.w;
        // 16 x 64 floats of B = 256 float4
        for (int p = 0; p < 2; p++) {
            int br = ty + 8 * p, bc = tx * 4;
            float4 vb = *reinterpret_cast<const float4 *>(&B[(k0 + br) * N + col0 + bc]);
            sB[br][bc] = vb.x;
            sB[br][bc + 1] = vb.y;
            sB[br][bc + 2] = vb.z;
            sB[br][bc + 3] = vb.w;
        }
        __syncthreads();

        for (int k = 0; k < BK; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    acc[i][j] += sA[ty * 4 + i][k] * sB[k][tx * 4 + j];
        __syncthreads();
    }

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            C[(row0 + ty * 4 + i) * N + col0 + tx * 4 + j] = acc[i][j];
}

int main(int argc, char **argv)
{
    int M = argc > 3 ? atoi(argv[1]) : 256;
    int N = argc > 3 ? atoi(argv[2]) : 384;
    int K = argc > 3 ? atoi(argv[3]) : 128;
    if (M % BM || N % BN || K % BK) {
        printf("sizes have to be multiples of %d, %d, %d\n", BM, BN, BK);
        return 1;
    }
    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = rand() % 9 - 4;
    for (int i = 0; i < K * N; i++) B[i] = rand() % 9 - 4;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * sizeof(float));
    cudaMalloc(&dB, K * N * sizeof(float));
    cudaMalloc(&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice);
    gemm4x4<<<dim3(N / BN, M / BM), dim3(16, 8)>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (s != C[i * N + j]) bad++;
        }
    printf("bad elements: %d\n", bad);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
