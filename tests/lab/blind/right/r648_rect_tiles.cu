#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define BM 16
#define BN 32
#define BK 8
#define M 200
#define N 150
#define K 90
#define CEIL(a, b) (((a) + (b) - 1) / (b))

__global__ void mm(const float *A, const float *B, float *C)
{
    __shared__ float sa[BM][BK];
    __shared__ float sb[BK][BN];
    int tid = threadIdx.y * BN + threadIdx.x;
    int r0 = blockIdx.y * BM, c0 = blockIdx.x * BN;
    float s = 0.f;

    for (int t = 0; t < CEIL(K, BK); t++) {
        for (int e = tid; e < BM * BK; e += BM * BN) {
            int r = e / BK, k = e % BK;
            sa[r][k] = (r0 + r < M && t * BK + k < K) ? A[(r0 + r) * K + t * BK + k] : 0.f;
        }
        for (int e = tid; e < BK * BN; e += BM * BN) {
            int k = e / BN, c = e % BN;
            sb[k][c] = (t * BK + k < K && c0 + c < N) ? B[(t * BK + k) * N + c0 + c] : 0.f;
        }
        __syncthreads();
        for (int k = 0; k < BK; k++)
            s += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }

    int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
    if (r < M && c < N) C[r * N + c] = s;
}

int main(void)
{
    float *a = (float *)malloc(M * K * sizeof(float));
    float *b = (float *)malloc(K * N * sizeof(float));
    float *c = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) a[i] = (float)(rand() % 9 - 4);
    for (int i = 0; i < K * N; i++) b[i] = (float)(rand() % 9 - 4);

    float *da, *db, *dc;
    cudaMalloc((void **)&da, M * K * sizeof(float));
    cudaMalloc((void **)&db, K * N * sizeof(float));
    cudaMalloc((void **)&dc, M * N * sizeof(float));
    cudaMemcpy(da, a, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, K * N * sizeof(float), cudaMemcpyHostToDevice);

    mm<<<dim3(CEIL(N, BN), CEIL(M, BM)), dim3(BN, BM)>>>(da, db, dc);
    cudaMemcpy(c, dc, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0.f;
            for (int k = 0; k < K; k++) s += a[i * K + k] * b[k * N + j];
            if (s != c[i * N + j]) bad++;
        }
    printf("bad = %d\n", bad);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
