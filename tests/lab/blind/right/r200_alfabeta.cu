#include <cstdio>
#include <cuda_runtime.h>

#define LATO 8

// C <- alfa * A * B + beta * C
__global__ void gemmAlfaBeta(int M, int N, int K, float alfa, const float *A,
                             const float *B, float beta, float *C)
{
    __shared__ float pezzoA[LATO][LATO];
    __shared__ float pezzoB[LATO][LATO];
    int riga = blockIdx.y * LATO + threadIdx.y;
    int col = blockIdx.x * LATO + threadIdx.x;
    bool dentro = riga < M && col < N;
    float s = 0;
    int fine = (K + LATO - 1) / LATO * LATO;
    for (int k = 0; k < fine; k += LATO) {
        if (riga < M && k + threadIdx.x < K)
            pezzoA[threadIdx.y][threadIdx.x] = A[riga * K + k + threadIdx.x];
        else
            pezzoA[threadIdx.y][threadIdx.x] = 0;
        if (col < N && k + threadIdx.y < K)
            pezzoB[threadIdx.y][threadIdx.x] = B[(k + threadIdx.y) * N + col];
        else
            pezzoB[threadIdx.y][threadIdx.x] = 0;
        __syncthreads();
        for (int j = 0; j < LATO; j++)
            s += pezzoA[threadIdx.y][j] * pezzoB[j][threadIdx.x];
        __syncthreads();
    }
    if (dentro)
        C[riga * N + col] = alfa * s + beta * C[riga * N + col];
}

int main()
{
    int M = 30, N = 22, K = 17;
    float *A, *B, *C;
    cudaMallocManaged(&A, M * K * 4);
    cudaMallocManaged(&B, K * N * 4);
    cudaMallocManaged(&C, M * N * 4);
    for (int i = 0; i < M * K; i++) A[i] = 1;
    for (int i = 0; i < K * N; i++) B[i] = 1;
    for (int i = 0; i < M * N; i++) C[i] = 10;
    dim3 b(LATO, LATO), g((N + LATO - 1) / LATO, (M + LATO - 1) / LATO);
    gemmAlfaBeta<<<g, b>>>(M, N, K, 2.0f, A, B, 0.5f, C);
    cudaDeviceSynchronize();
    printf("%g (atteso %g)\n", C[M * N - 1], 2.0 * K + 5.0);
    return 0;
}
