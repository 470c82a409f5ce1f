// Lab 2: compare three versions of matrix multiplication
//   1) naive   2) tiled   3) tiled, several results per thread
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <cuda_runtime.h>

#define TILE 16
#define ROWS_PER_THREAD 4

__global__ void mmNaive(const float *A, const float *B, float *C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < N) {
        float s = 0;
        for (int k = 0; k < K; k++) s += A[row * K + k] * B[k * N + col];
        C[row * N + col] = s;
    }
}

__global__ void mmTiled(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[TILE][TILE], sB[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float s = 0;
    for (int k0 = 0; k0 < K; k0 += TILE) {
        sA[threadIdx.y][threadIdx.x] = row < M && k0 + threadIdx.x < K ? A[row * K + k0 + threadIdx.x] : 0;
        sB[threadIdx.y][threadIdx.x] = col < N && k0 + threadIdx.y < K ? B[(k0 + threadIdx.y) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) s += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = s;
}

// block covers 64 x 16 elements of C, each thread 4 rows (distance TILE)
__global__ void mmTiledReg(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[TILE * ROWS_PER_THREAD][TILE];
    __shared__ float sB[TILE][TILE];
    int row0 = blockIdx.y * TILE * ROWS_PER_THREAD + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float s[ROWS_PER_THREAD] = {0};

    for (int k0 = 0; k0 < K; k0 += TILE) {
        for (int r = 0; r < ROWS_PER_THREAD; r++) {
            int row = row0 + r * TILE;
            sA[threadIdx.y + r * TILE][threadIdx.x] =
                (row < M && k0 + threadIdx.x < K) ? A[row * K + k0 + threadIdx.x] : 0.0f;
        }
        sB[threadIdx.y][threadIdx.x] = (col < N && k0 + threadIdx.y < K) ? B[(k0 + threadIdx.y) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            float b = sB[k][threadIdx.x];
            for (int r = 0; r < ROWS_PER_THREAD; r++)
                s[r] += sA[threadIdx.y + r * TILE][k] * b;
        }
        __syncthreads();
    }
    if (col < N)
        for (int r = 0; r < ROWS_PER_THREAD; r++)
            if (row0 + r * TILE < M)
                C[(row0 + r * TILE) * N + col] = s[r];
}

int check(const float *ref, const float *got, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(ref[i] - got[i]) <= 1e-3)) {
            printf("%s: wrong at %d (%f instead of %f)\n", name, i, got[i], ref[i]);
            return 1;
        }
    printf("%s: fine\n", name);
    return 0;
}

int main()
{
    const int M = 150, N = 170, K = 90;
    float *A = (float*)malloc(M * K * sizeof(float)), *B = (float*)malloc(K * N * sizeof(float));
    float *C = (float*)malloc(M * N * sizeof(float)), *R = (float*)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = (i % 100) / 100.0f;
    for (int i = 0; i < K * N; i++) B[i] = (i % 50) / 50.0f;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            R[i * N + j] = s;
        }

    float *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * sizeof(float));
    cudaMalloc(&dB, K * N * sizeof(float));
    cudaMalloc(&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    dim3 gridReg((N + TILE - 1) / TILE, (M + TILE * ROWS_PER_THREAD - 1) / (TILE * ROWS_PER_THREAD));
    int bad = 0;

    cudaMemset(dC, 0, M * N * sizeof(float));
    mmNaive<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);
    bad |= check(R, C, M * N, "naive");

    cudaMemset(dC, 0, M * N * sizeof(float));
    mmTiled<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);
    bad |= check(R, C, M * N, "tiled");

    cudaMemset(dC, 0, M * N * sizeof(float));
    mmTiledReg<<<gridReg, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);
    bad |= check(R, C, M * N, "tiled+reg");

    puts(bad ? "BAD" : "OK");
    free(A); free(B); free(C); free(R);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad;
}
