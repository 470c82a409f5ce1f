// Esercizio 4: prodotto matrice-vettore, un blocco per ogni riga.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define NT 128

__global__ void matVet(const float *mat, const float *vet, float *ris, int colonne)
{
    __shared__ float parz[NT];
    int riga = blockIdx.x;
    int t = threadIdx.x;

    float acc = 0.f;
    for (int c = t; c < colonne; c += NT)
        acc += mat[riga * colonne + c] * vet[c];
    parz[t] = acc;

    for (int d = NT / 2; d >= 1; d /= 2) {
        __syncthreads();
        if (t < d)
            parz[t] = parz[t] + parz[t + d];
    }
    if (t == 0)
        ris[riga] = parz[0];
}

int main(void)
{
    int righe = 220, colonne = 515;
    float *m = (float *)malloc(righe * colonne * sizeof(float));
    float *v = (float *)malloc(colonne * sizeof(float));
    float *r = (float *)malloc(righe * sizeof(float));
    for (int i = 0; i < righe * colonne; i++) m[i] = (i % 9) - 4;
    for (int i = 0; i < colonne; i++) v[i] = (i % 5) - 2;

    float *dm, *dv, *dr;
    cudaMalloc(&dm, righe * colonne * sizeof(float));
    cudaMalloc(&dv, colonne * sizeof(float));
    cudaMalloc(&dr, righe * sizeof(float));
    cudaMemcpy(dm, m, righe * colonne * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v, colonne * sizeof(float), cudaMemcpyHostToDevice);
    matVet<<<righe, NT>>>(dm, dv, dr, colonne);
    cudaMemcpy(r, dr, righe * sizeof(float), cudaMemcpyDeviceToHost);

    int errori = 0;
    for (int i = 0; i < righe; i++) {
        float s = 0.f;
        for (int c = 0; c < colonne; c++) s += m[i * colonne + c] * v[c];
        if (fabsf(s - r[i]) > 1e-2f) errori++;
    }
    printf("errori: %d\n", errori);
    cudaFree(dm); cudaFree(dv); cudaFree(dr);
    free(m); free(v); free(r);
    return errori != 0;
}
