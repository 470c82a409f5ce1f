// Übungsblatt 4, Aufgabe 2: gekachelte Matrixmultiplikation
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define KB 16   // Kachelbreite

#define PRUEFE(a) do { cudaError_t f = (a); if (f != cudaSuccess) { \
    fprintf(stderr, "Zeile %d: %s\n", __LINE__, cudaGetErrorString(f)); exit(1); } } while (0)

__global__ void matmul(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float sA[KB][KB];
    __shared__ float sB[KB][KB];

    int zeile = blockIdx.y * KB + threadIdx.y;
    int spalte = blockIdx.x * KB + threadIdx.x;
    float wert = 0.0f;

    for (int p = 0; p < (K + KB - 1) / KB; p++) {
        int kA = p * KB + threadIdx.x;
        int kB = p * KB + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = (zeile < M && kA < K) ? A[zeile * K + kA] : 0.0f;
        sB[threadIdx.y][threadIdx.x] = (kB < K && spalte < N) ? B[kB * N + spalte] : 0.0f;
        __syncthreads();

        for (int k = 0; k < KB; k++)
            wert += sA[threadIdx.y][k] * sB[k][threadIdx.x];
    }

    if (zeile < M && spalte < N)
        C[zeile * N + spalte] = wert;
}

int main(void)
{
    int M = 500, K = 400, N = 300;
    size_t bA = (size_t)M * K * sizeof(float);
    size_t bB = (size_t)K * N * sizeof(float);
    size_t bC = (size_t)M * N * sizeof(float);
    float *A = (float *)malloc(bA), *B = (float *)malloc(bB), *C = (float *)malloc(bC);
    for (int i = 0; i < M * K; i++) A[i] = (float)(rand() % 5);
    for (int i = 0; i < K * N; i++) B[i] = (float)(rand() % 5);

    float *dA, *dB, *dC;
    PRUEFE(cudaMalloc(&dA, bA));
    PRUEFE(cudaMalloc(&dB, bB));
    PRUEFE(cudaMalloc(&dC, bC));
    PRUEFE(cudaMemcpy(dA, A, bA, cudaMemcpyHostToDevice));
    PRUEFE(cudaMemcpy(dB, B, bB, cudaMemcpyHostToDevice));

    dim3 block(KB, KB);
    dim3 gitter((N + KB - 1) / KB, (M + KB - 1) / KB);
    matmul<<<gitter, block>>>(dA, dB, dC, M, K, N);
    PRUEFE(cudaGetLastError());
    PRUEFE(cudaMemcpy(C, dC, bC, cudaMemcpyDeviceToHost));

    int falsch = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (s != C[i * N + j]) falsch++;
        }
    printf("%d falsche Elemente\n", falsch);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
