// Laboratorium 3: mnożenie macierzy z pamięcią współdzieloną
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define KAFEL 16

#define BLAD(x) { cudaError_t e = (x); if (e != cudaSuccess) { \
    printf("blad: %s\n", cudaGetErrorString(e)); exit(1); } }

__global__ void mnozenie(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float ka[KAFEL][KAFEL];
    __shared__ float kb[KAFEL][KAFEL];

    int w = blockIdx.y * KAFEL + threadIdx.y;
    int c = blockIdx.x * KAFEL + threadIdx.x;
    float suma = 0.0f;

    for (int f = 0; f < (k + KAFEL - 1) / KAFEL; f++) {
        // tylko jeśli element istnieje
        if (w < m && f * KAFEL + threadIdx.x < k)
            ka[threadIdx.y][threadIdx.x] = A[w * k + f * KAFEL + threadIdx.x];
        if (f * KAFEL + threadIdx.y < k && c < n)
            kb[threadIdx.y][threadIdx.x] = B[(f * KAFEL + threadIdx.y) * n + c];
        __syncthreads();

        for (int q = 0; q < KAFEL; q++)
            suma += ka[threadIdx.y][q] * kb[q][threadIdx.x];
        __syncthreads();
    }
    if (w < m && c < n)
        C[w * n + c] = suma;
}

int main()
{
    int m = 64, k = 100, n = 80;
    float *A, *B, *C;
    BLAD(cudaMallocManaged(&A, sizeof(float) * m * k));
    BLAD(cudaMallocManaged(&B, sizeof(float) * k * n));
    BLAD(cudaMallocManaged(&C, sizeof(float) * m * n));
    for (int i = 0; i < m * k; i++) A[i] = 1.0f + i % 3;
    for (int i = 0; i < k * n; i++) B[i] = 2.0f - i % 5;

    dim3 blok(KAFEL, KAFEL);
    dim3 siatka((n + KAFEL - 1) / KAFEL, (m + KAFEL - 1) / KAFEL);
    mnozenie<<<siatka, blok>>>(A, B, C, m, k, n);
    BLAD(cudaGetLastError());
    BLAD(cudaDeviceSynchronize());

    int zle = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int q = 0; q < k; q++) s += A[i * k + q] * B[q * n + j];
            if (fabsf(s - C[i * n + j]) > 1e-3f) zle++;
        }
    printf("zlych elementow: %d\n", zle);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
