// Practicum 3: matrixvermenigvuldiging met tegels, elke afmeting toegestaan
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define ZIJDE 16

struct Tegels {
    float links[ZIJDE][ZIJDE];
    float rechts[ZIJDE][ZIJDE];
};

__device__ void haal(Tegels &t, const float *A, const float *B,
                     int rij, int kolom, int stap, int m, int n, int k)
{
    int ka = stap * ZIJDE + threadIdx.x;
    int kb = stap * ZIJDE + threadIdx.y;
    t.links[threadIdx.y][threadIdx.x] = (rij < m && ka < k) ? A[rij * k + ka] : 0.0f;
    t.rechts[threadIdx.y][threadIdx.x] = (kb < k && kolom < n) ? B[kb * n + kolom] : 0.0f;
    __syncthreads();
}

__device__ float reken(const Tegels &t)
{
    float som = 0.0f;
    for (int p = 0; p < ZIJDE; p++)
        som += t.links[threadIdx.y][p] * t.rechts[p][threadIdx.x];
    return som;
}

__global__ void vermenigvuldig(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ Tegels t;

    int rij = blockIdx.y * ZIJDE + threadIdx.y;
    int kolom = blockIdx.x * ZIJDE + threadIdx.x;
    float som = 0.0f;

    for (int stap = 0; stap < (k + ZIJDE - 1) / ZIJDE; stap++) {
        haal(t, A, B, rij, kolom, stap, m, n, k);
        som += reken(t);
    }

    if (rij < m && kolom < n)
        C[rij * n + kolom] = som;
}

int main()
{
    int m = 200, n = 150, k = 170;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * k * sizeof(float));
    cudaMallocManaged(&B, k * n * sizeof(float));
    cudaMallocManaged(&C, m * n * sizeof(float));
    for (int i = 0; i < m * k; i++) A[i] = rand() % 10;
    for (int i = 0; i < k * n; i++) B[i] = rand() % 10;

    dim3 draden(ZIJDE, ZIJDE);
    dim3 rooster((n + ZIJDE - 1) / ZIJDE, (m + ZIJDE - 1) / ZIJDE);
    vermenigvuldig<<<rooster, draden>>>(A, B, C, m, n, k);
    cudaDeviceSynchronize();

    int fout = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int p = 0; p < k; p++) s += A[i * k + p] * B[p * n + j];
            if (fabsf(s - C[i * n + j]) > 0.5f) fout++;
        }
    printf("%d fouten\n", fout);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return fout > 0;
}
