/*
 * TP CUDA n°2 : multiplication de matrices par tuiles en mémoire partagée
 * C (M x N) = A (M x K) * B (K x N), rangement ligne par ligne
 * Dimensions quelconques >= 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TUILE 16

__global__ void matMulTuiles(const float *A, const float *B, float *C,
                             int M, int N, int K)
{
    __shared__ float sA[TUILE][TUILE];
    __shared__ float sB[TUILE][TUILE];

    int ligne = blockIdx.y * TUILE + threadIdx.y;
    int col   = blockIdx.x * TUILE + threadIdx.x;
    float val = 0.0f;

    int nbTuiles = (K + TUILE - 1) / TUILE;
    for (int t = 0; t < nbTuiles; t++) {
        int kA = t * TUILE + threadIdx.x;
        int kB = t * TUILE + threadIdx.y;

        if (ligne < M && kA < K)
            sA[threadIdx.y][threadIdx.x] = A[(size_t)ligne * K + kA];
        if (kB < K && col < N)
            sB[threadIdx.y][threadIdx.x] = B[(size_t)kB * N + col];
        __syncthreads();

        for (int k = 0; k < TUILE; k++)
            val += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }

    if (ligne < M && col < N)
        C[(size_t)ligne * N + col] = val;
}

void matMulCPU(const float *A, const float *B, float *C, int M, int N, int K)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0.0f;
            for (int k = 0; k < K; k++)
                s += A[(size_t)i * K + k] * B[(size_t)k * N + j];
            C[(size_t)i * N + j] = s;
        }
}

int main(int argc, char **argv)
{
    int M = 256, N = 128, K = 512;
    if (argc > 3) { M = atoi(argv[1]); N = atoi(argv[2]); K = atoi(argv[3]); }

    size_t tA = (size_t)M * K * sizeof(float);
    size_t tB = (size_t)K * N * sizeof(float);
    size_t tC = (size_t)M * N * sizeof(float);
    float *hA = (float *)malloc(tA), *hB = (float *)malloc(tB);
    float *hC = (float *)malloc(tC), *hR = (float *)malloc(tC);
    for (size_t i = 0; i < (size_t)M * K; i++) hA[i] = rand() / (float)RAND_MAX;
    for (size_t i = 0; i < (size_t)K * N; i++) hB[i] = rand() / (float)RAND_MAX;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, tA);
    cudaMalloc((void **)&dB, tB);
    cudaMalloc((void **)&dC, tC);
    cudaMemcpy(dA, hA, tA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, tB, cudaMemcpyHostToDevice);

    dim3 bloc(TUILE, TUILE);
    dim3 grille((N + TUILE - 1) / TUILE, (M + TUILE - 1) / TUILE);
    matMulTuiles<<<grille, bloc>>>(dA, dB, dC, M, N, K);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) printf("erreur CUDA : %s\n", cudaGetErrorString(e));
    cudaMemcpy(hC, dC, tC, cudaMemcpyDeviceToHost);

    matMulCPU(hA, hB, hR, M, N, K);
    float ecart = 0.0f;
    for (size_t i = 0; i < (size_t)M * N; i++)
        ecart = fmaxf(ecart, fabsf(hC[i] - hR[i]) / fmaxf(1.0f, fabsf(hR[i])));
    printf("écart relatif max : %g -> %s\n", ecart, ecart < 1e-4f ? "correct" : "FAUX");

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC); free(hR);
    return 0;
}
