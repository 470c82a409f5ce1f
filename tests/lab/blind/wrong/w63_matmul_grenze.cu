// Kachelbasierte Matrixmultiplikation C = A * B fuer beliebige Groessen
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

const int KACHEL = 32;

__global__ void matMulKachel(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float kA[KACHEL][KACHEL];
    __shared__ float kB[KACHEL][KACHEL];

    int zeile  = blockIdx.y * KACHEL + threadIdx.y;
    int spalte = blockIdx.x * KACHEL + threadIdx.x;
    float summe = 0.0f;
    int anzahl = (K + KACHEL - 1) / KACHEL;

    if (zeile < M && spalte < N) {
        for (int q = 0; q < anzahl; q++) {
            int ak = q * KACHEL + threadIdx.x;
            int bk = q * KACHEL + threadIdx.y;
            kA[threadIdx.y][threadIdx.x] = (ak < K) ? A[zeile * K + ak] : 0.0f;
            kB[threadIdx.y][threadIdx.x] = (bk < K) ? B[bk * N + spalte] : 0.0f;
            __syncthreads();

            for (int k = 0; k < KACHEL; k++)
                summe += kA[threadIdx.y][k] * kB[k][threadIdx.x];
            __syncthreads();
        }
        C[zeile * N + spalte] = summe;
    }
}

int main(void)
{
    int M = 75, K = 90, N = 53;
    size_t bA = (size_t)M * K * sizeof(float);
    size_t bB = (size_t)K * N * sizeof(float);
    size_t bC = (size_t)M * N * sizeof(float);
    float *hA = (float *)malloc(bA), *hB = (float *)malloc(bB), *hC = (float *)malloc(bC);
    for (int i = 0; i < M * K; i++) hA[i] = (i % 11) * 0.5f;
    for (int i = 0; i < K * N; i++) hB[i] = (i % 13) * 0.25f;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, bA);
    cudaMalloc((void **)&dB, bB);
    cudaMalloc((void **)&dC, bC);
    cudaMemcpy(dA, hA, bA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bB, cudaMemcpyHostToDevice);

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((N + KACHEL - 1) / KACHEL, (M + KACHEL - 1) / KACHEL);
    matMulKachel<<<gitter, block>>>(dA, dB, dC, M, K, N);
    cudaDeviceSynchronize();
    cudaMemcpy(hC, dC, bC, cudaMemcpyDeviceToHost);

    float fehler = 0.0f;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0.0f;
            for (int k = 0; k < K; k++) s += hA[i * K + k] * hB[k * N + j];
            fehler = fmaxf(fehler, fabsf(s - hC[i * N + j]));
        }
    printf("max error: %g\n", fehler);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
