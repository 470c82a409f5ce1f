// Zadanie 7: wiele iloczynow macierzy naraz (partia), C_b = A_b * B_b
// Macierze jednej partii leza w pamieci jedna za druga, wierszami.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int BOK = 16;

void sprawdz(cudaError_t e, const char *gdzie)
{
    if (e != cudaSuccess) {
        printf("blad (%s): %s\n", gdzie, cudaGetErrorString(e));
        exit(EXIT_FAILURE);
    }
}

__global__ void iloczynPartii(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float ka[BOK][BOK], kb[BOK][BOK];

    const size_t ktora = blockIdx.z;
    A += ktora * m * k;
    B += ktora * k * n;
    C += ktora * m * k;

    const int w = blockIdx.y * blockDim.y + threadIdx.y;
    const int kol = blockIdx.x * blockDim.x + threadIdx.x;
    float suma = 0;

    for (int t = 0; t < (k + BOK - 1) / BOK; t++) {
        const int pa = t * BOK + threadIdx.x;
        const int pb = t * BOK + threadIdx.y;
        ka[threadIdx.y][threadIdx.x] = (w < m && pa < k) ? A[w * k + pa] : 0.0f;
        kb[threadIdx.y][threadIdx.x] = (pb < k && kol < n) ? B[pb * n + kol] : 0.0f;
        __syncthreads();
        for (int i = 0; i < BOK; i++)
            suma += ka[threadIdx.y][i] * kb[i][threadIdx.x];
        __syncthreads();
    }
    if (w < m && kol < n)
        C[w * n + kol] = suma;
}

int main()
{
    const int ile = 6, m = 48, k = 48, n = 48;
    const size_t la = (size_t)ile * m * k, lb = (size_t)ile * k * n, lc = (size_t)ile * m * n;

    float *hA = (float *)malloc(la * sizeof(float));
    float *hB = (float *)malloc(lb * sizeof(float));
    float *hC = (float *)malloc(lc * sizeof(float));
    for (size_t i = 0; i < la; i++) hA[i] = (float)(i % 13) - 6;
    for (size_t i = 0; i < lb; i++) hB[i] = (float)(i % 7) - 3;

    float *dA, *dB, *dC;
    sprawdz(cudaMalloc((void **)&dA, la * sizeof(float)), "A");
    sprawdz(cudaMalloc((void **)&dB, lb * sizeof(float)), "B");
    sprawdz(cudaMalloc((void **)&dC, lc * sizeof(float)), "C");
    sprawdz(cudaMemcpy(dA, hA, la * sizeof(float), cudaMemcpyHostToDevice), "kopia A");
    sprawdz(cudaMemcpy(dB, hB, lb * sizeof(float), cudaMemcpyHostToDevice), "kopia B");

    // rozmiary m, k, n moga byc rozne i dowolne
    dim3 blok(BOK, BOK, 1);
    dim3 siatka((n + BOK - 1) / BOK, (m + BOK - 1) / BOK, ile);
    iloczynPartii<<<siatka, blok>>>(dA, dB, dC, m, k, n);
    sprawdz(cudaGetLastError(), "start");
    sprawdz(cudaMemcpy(hC, dC, lc * sizeof(float), cudaMemcpyDeviceToHost), "kopia C");

    int zle = 0;
    for (int b = 0; b < ile; b++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                float s = 0;
                for (int p = 0; p < k; p++)
                    s += hA[(size_t)b * m * k + i * k + p] * hB[(size_t)b * k * n + p * n + j];
                if (fabsf(s - hC[(size_t)b * m * n + i * n + j]) > 1e-2f) zle++;
            }
    printf("zlych elementow: %d\n", zle);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return zle != 0;
}
