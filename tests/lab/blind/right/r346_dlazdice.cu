/*
 * Cvicenie 4 - nasobenie matic po dlazdiciach
 * C[m x n] = A[m x k] * B[k x n], vsetko ulozene po riadkoch
 * Rozmery sa zadavaju na prikazovom riadku, nemusia byt nasobkom 16.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define DL 16

#define SKONTROLUJ(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    fprintf(stderr, "chyba CUDA v riadku %d: %s\n", __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void nasob(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float dlA[DL][DL];
    __shared__ float dlB[DL][DL];

    int tx = threadIdx.x, ty = threadIdx.y;
    int riadok = blockIdx.y * DL + ty;
    int stlpec = blockIdx.x * DL + tx;

    /* ukazovatele sa posuvaju o jednu dlazdicu */
    const float *pa = A + (size_t)riadok * k + tx;
    const float *pb = B + (size_t)ty * n + stlpec;
    float sucet = 0.0f;

    for (int zvysok = k; zvysok > 0; zvysok -= DL) {
        /* zvysok = kolko clenov suctu este treba spracovat */
        dlA[ty][tx] = (riadok < m && tx < zvysok) ? *pa : 0.0f;
        dlB[ty][tx] = (stlpec < n && ty < zvysok) ? *pb : 0.0f;
        __syncthreads();

        for (int i = 0; i < DL; i++)
            sucet += dlA[ty][i] * dlB[i][tx];
        __syncthreads();

        pa += DL;
        pb += (size_t)DL * n;
    }

    if (riadok < m && stlpec < n)
        C[(size_t)riadok * n + stlpec] = sucet;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 100;
    int k = argc > 2 ? atoi(argv[2]) : 77;
    int n = argc > 3 ? atoi(argv[3]) : 53;
    if (m < 1 || k < 1 || n < 1) { printf("zle rozmery\n"); return 1; }

    size_t ba = (size_t)m * k * sizeof(float);
    size_t bb = (size_t)k * n * sizeof(float);
    size_t bc = (size_t)m * n * sizeof(float);
    float *hA = (float *)malloc(ba), *hB = (float *)malloc(bb), *hC = (float *)malloc(bc);
    for (int i = 0; i < m * k; i++) hA[i] = (float)(i % 7) - 3.0f;
    for (int i = 0; i < k * n; i++) hB[i] = (float)(i % 5) - 2.0f;

    float *dA, *dB, *dC;
    SKONTROLUJ(cudaMalloc(&dA, ba));
    SKONTROLUJ(cudaMalloc(&dB, bb));
    SKONTROLUJ(cudaMalloc(&dC, bc));
    SKONTROLUJ(cudaMemcpy(dA, hA, ba, cudaMemcpyHostToDevice));
    SKONTROLUJ(cudaMemcpy(dB, hB, bb, cudaMemcpyHostToDevice));

    dim3 blok(DL, DL);
    dim3 mriezka((n + DL - 1) / DL, (m + DL - 1) / DL);
    nasob<<<mriezka, blok>>>(dA, dB, dC, m, k, n);
    SKONTROLUJ(cudaGetLastError());
    SKONTROLUJ(cudaMemcpy(hC, dC, bc, cudaMemcpyDeviceToHost));

    int chyby = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int l = 0; l < k; l++) s += hA[i * k + l] * hB[l * n + j];
            if (fabsf(s - hC[i * n + j]) > 1e-3f) chyby++;
        }
    printf("pocet chyb: %d\n", chyby);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return chyby != 0;
}
