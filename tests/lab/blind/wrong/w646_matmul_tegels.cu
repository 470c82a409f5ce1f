// Matrixvermenigvuldiging met tegels in shared memory (practicum week 4).
// Elke blok berekent een tegel van C; m, n en k mogen willekeurig zijn.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TEGEL 32

__global__ void vermenigvuldig(const float *A, const float *B, float *C,
                               int m, int n, int k)
{
    __shared__ float tA[TEGEL][TEGEL];
    __shared__ float tB[TEGEL][TEGEL];

    int x = threadIdx.x, y = threadIdx.y;
    int rij = blockIdx.y * TEGEL + y;
    int kolom = blockIdx.x * TEGEL + x;
    float som = 0.0f;

    int aantal = (k + TEGEL - 1) / TEGEL;
    for (int t = 0; t < aantal; t++) {
        int ak = t * TEGEL + x;
        int bk = t * TEGEL + y;
        tA[y][x] = (rij < m && ak < k) ? A[rij * k + ak] : 0.0f;
        tB[y][x] = (bk < k && kolom < n) ? B[bk * n + kolom] : 0.0f;
        __syncthreads();

        for (int q = 0; q < TEGEL; q++)
            som += tA[y][q] * tB[q][x];
    }

    if (rij < m && kolom < n)
        C[rij * n + kolom] = som;
}

int main()
{
    const int m = 200, n = 300, k = 500;
    float *A = (float *)malloc(m * k * sizeof(float));
    float *B = (float *)malloc(k * n * sizeof(float));
    float *C = (float *)malloc(m * n * sizeof(float));
    for (int i = 0; i < m * k; i++) A[i] = (float)(i % 4);
    for (int i = 0; i < k * n; i++) B[i] = (float)(i % 3);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, m * k * sizeof(float));
    cudaMalloc(&dB, k * n * sizeof(float));
    cudaMalloc(&dC, m * n * sizeof(float));
    cudaMemcpy(dA, A, m * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, k * n * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blok(TEGEL, TEGEL);
    dim3 rooster((n + TEGEL - 1) / TEGEL, (m + TEGEL - 1) / TEGEL);
    vermenigvuldig<<<rooster, blok>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C, dC, m * n * sizeof(float), cudaMemcpyDeviceToHost);

    int fout = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int q = 0; q < k; q++) s += A[i * k + q] * B[q * n + j];
            if (s != C[i * n + j]) fout++;
        }
    printf("fouten: %d\n", fout);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return fout != 0;
}
