/* Øving 4: matrisemultiplikasjon med ruter i delt minne
 * C (M x N) = A (M x K) * B (K x N), alt lagret radvis
 * Dimensjonene er valgfrie.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define RUTE 16

__global__ void gang(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float ruteA[RUTE][RUTE];
    __shared__ float ruteB[RUTE][RUTE];

    int rad = blockIdx.y * RUTE + threadIdx.y;
    int kol = blockIdx.x * RUTE + threadIdx.x;
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += RUTE) {
        int ka = k0 + threadIdx.x;
        int kb = k0 + threadIdx.y;
        ruteA[threadIdx.y][threadIdx.x] = (rad < M && ka < K) ? A[rad * K + ka] : 0.0f;
        ruteB[threadIdx.y][threadIdx.x] = (kb < K && kol < N) ? B[kb * N + kol] : 0.0f;
        __syncthreads();

        if (rad < M && kol < N) {
            for (int k = 0; k < RUTE; k++)
                sum += ruteA[threadIdx.y][k] * ruteB[k][threadIdx.x];
            __syncthreads();
        }
    }

    if (rad < M && kol < N)
        C[rad * N + kol] = sum;
}

int main(int argc, char **argv)
{
    int M = 50, N = 70, K = 90;
    if (argc == 4) {
        M = atoi(argv[1]);
        N = atoi(argv[2]);
        K = atoi(argv[3]);
    }
    size_t sA = (size_t)M * K * sizeof(float);
    size_t sB = (size_t)K * N * sizeof(float);
    size_t sC = (size_t)M * N * sizeof(float);
    float *hA = (float *)malloc(sA);
    float *hB = (float *)malloc(sB);
    float *hC = (float *)malloc(sC);
    for (int i = 0; i < M * K; i++) hA[i] = (float)(rand() % 10);
    for (int i = 0; i < K * N; i++) hB[i] = (float)(rand() % 10);

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, sA);
    cudaMalloc((void **)&dB, sB);
    cudaMalloc((void **)&dC, sC);
    cudaMemcpy(dA, hA, sA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, sB, cudaMemcpyHostToDevice);

    dim3 blokk(RUTE, RUTE);
    dim3 nett((N + RUTE - 1) / RUTE, (M + RUTE - 1) / RUTE);
    gang<<<nett, blokk>>>(dA, dB, dC, M, N, K);
    cudaError_t feil = cudaGetLastError();
    if (feil != cudaSuccess) {
        printf("feil: %s\n", cudaGetErrorString(feil));
        return 1;
    }
    cudaMemcpy(hC, dC, sC, cudaMemcpyDeviceToHost);

    int gale = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += hA[i * K + k] * hB[k * N + j];
            if (fabsf(s - hC[i * N + j]) > 0.01f) gale++;
        }
    printf("%d av %d elementer er gale\n", gale, M * N);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
