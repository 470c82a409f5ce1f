// Practicum 4: matrixproduct met langwerpige tegels, elke maat toegestaan
// tegel van C: HOOG x BREED, diepte DIEP
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define HOOG 8
#define BREED 32
#define DIEP 32

__global__ void langwerpig(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float a[HOOG][DIEP];
    __shared__ float b[DIEP][BREED];

    int rij = blockIdx.y * HOOG + threadIdx.y;
    int kolom = blockIdx.x * BREED + threadIdx.x;

    float som = 0.0f;
    for (int k0 = 0; k0 < K; k0 += DIEP) {
        int ka = k0 + threadIdx.x;
        if (rij < M && ka < K)
            a[threadIdx.y][threadIdx.x] = A[rij * K + ka];

        // elke thread haalt vier elementen van B
        for (int d = threadIdx.y; d < DIEP; d += HOOG) {
            if (k0 + d < K && kolom < N)
                b[d][threadIdx.x] = B[(k0 + d) * N + kolom];
        }
        __syncthreads();

        for (int k = 0; k < DIEP; k++)
            som += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }

    if (rij < M && kolom < N)
        C[rij * N + kolom] = som;
}

int main(void)
{
    int M = 45, K = 75, N = 110;
    size_t nA = (size_t)M * K, nB = (size_t)K * N, nC = (size_t)M * N;
    float *A = (float *)malloc(nA * sizeof(float));
    float *B = (float *)malloc(nB * sizeof(float));
    float *C = (float *)malloc(nC * sizeof(float));
    for (size_t i = 0; i < nA; i++) A[i] = (float)rand() / RAND_MAX;
    for (size_t i = 0; i < nB; i++) B[i] = (float)rand() / RAND_MAX;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, nA * sizeof(float));
    cudaMalloc((void **)&dB, nB * sizeof(float));
    cudaMalloc((void **)&dC, nC * sizeof(float));
    cudaMemcpy(dA, A, nA * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, nB * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blok(BREED, HOOG);
    dim3 rooster((N + BREED - 1) / BREED, (M + HOOG - 1) / HOOG);
    langwerpig<<<rooster, blok>>>(dA, dB, dC, M, K, N);
    cudaMemcpy(C, dC, nC * sizeof(float), cudaMemcpyDeviceToHost);

    int fout = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (!(fabs(s - C[i * N + j]) < 1e-3)) fout++;
        }
    printf("%d fout\n", fout);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return fout ? 1 : 0;
}
