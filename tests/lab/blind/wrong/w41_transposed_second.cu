#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TILE 16

// C = A * B^T,  A: M x K,  B: N x K (row-major), C: M x N
__global__ void gemmNT(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    int bRow = blockIdx.x * TILE + threadIdx.y;   // row of B that this thread loads

    float sum = 0.0f;
    for (int t = 0; t < (K + TILE - 1) / TILE; t++) {
        int k = t * TILE + threadIdx.x;
        As[threadIdx.y][threadIdx.x] = (row < M && k < K) ? A[row * K + k] : 0.0f;
        Bs[threadIdx.x][threadIdx.y] = (bRow < N && k < K) ? B[bRow * K + k] : 0.0f;
        __syncthreads();

        for (int i = 0; i < TILE; i++)
            sum += As[threadIdx.y][i] * Bs[threadIdx.x][i];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

int main(int argc, char **argv)
{
    int M = 150, N = 250, K = 350;
    if (argc > 3) {
        M = atoi(argv[1]);
        N = atoi(argv[2]);
        K = atoi(argv[3]);
    }
    float *A, *B, *C;
    cudaMallocManaged(&A, sizeof(float) * M * K);
    cudaMallocManaged(&B, sizeof(float) * N * K);
    cudaMallocManaged(&C, sizeof(float) * M * N);
    for (int i = 0; i < M * K; i++) A[i] = rand() % 6;
    for (int i = 0; i < N * K; i++) B[i] = rand() % 6;

    gemmNT<<<dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), dim3(TILE, TILE)>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();

    long bad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float r = 0;
            for (int k = 0; k < K; k++) r += A[i * K + k] * B[j * K + k];
            bad += r != C[i * N + j];
        }
    printf("bad: %ld\n", bad);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return 0;
}
