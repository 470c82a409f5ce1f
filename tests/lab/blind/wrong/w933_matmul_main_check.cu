#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int TS = 16;

__global__ void tiled(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float As[TS][TS];
    __shared__ float Bs[TS][TS];
    int row = blockIdx.x * TS + threadIdx.x;   // x counts rows here
    int col = blockIdx.y * TS + threadIdx.y;
    float v = 0;
    for (int t = 0; t < (K + TS - 1) / TS; t++) {
        int ka = t * TS + threadIdx.y, kb = t * TS + threadIdx.x;
        As[threadIdx.x][threadIdx.y] = row < M && ka < K ? A[row * K + ka] : 0;
        Bs[threadIdx.x][threadIdx.y] = kb < K && col < N ? B[kb * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < TS; k++)
            v += As[threadIdx.x][k] * Bs[k][threadIdx.y];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = v;
}

int main()
{
    const int M = 50, K = 70, N = 90;
    size_t szA = M * K * sizeof(float), szB = K * N * sizeof(float), szC = M * N * sizeof(float);
    float *A = (float *)malloc(szA), *B = (float *)malloc(szB), *C = (float *)malloc(szC);
    for (int i = 0; i < M * K; i++) A[i] = (rand() % 100) / 50.0f;
    for (int i = 0; i < K * N; i++) B[i] = (rand() % 100) / 50.0f - 1.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, szA);
    cudaMalloc(&dB, szB);
    cudaMalloc(&dC, szC);
    cudaMemcpy(dA, A, szA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, szA, cudaMemcpyHostToDevice);

    dim3 threads(TS, TS);
    dim3 blocks((M + TS - 1) / TS, (N + TS - 1) / TS);
    tiled<<<blocks, threads>>>(dA, dB, dC, M, K, N);
    cudaMemcpy(C, dC, szC, cudaMemcpyDeviceToHost);

    float worst = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float ref = 0;
            for (int k = 0; k < K; k++) ref += A[i * K + k] * B[k * N + j];
            float e = fabsf(ref - C[i * N + j]);
            if (!(e <= worst)) worst = e;
        }
    printf("largest error %g\n", worst);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return worst < 1e-3f ? 0 : 1;
}
