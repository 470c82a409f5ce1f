// Prodotto matrice-vettore y = A x, A memorizzata per righe (righe x colonne).
// Le colonne sono divise in fette di FETTA elementi: blockIdx.y e' la fetta,
// blockIdx.x il gruppo di RIGHE righe. Ogni blocco aggiunge la sua parte a y.
#include <cuda_runtime.h>

#define RIGHE 8
#define FETTA 64

__global__ void mat_vet(const float *A, const float *x, float *y, int righe, int colonne)
{
    __shared__ float somme[RIGHE][32];
    int l = threadIdx.x;                       // 0..31
    int riga = blockIdx.x * RIGHE + threadIdx.y;
    int inizio = blockIdx.y * FETTA;
    int fine = min(inizio + FETTA, colonne);

    float s = 0.0f;
    if (riga < righe)
        for (int c = inizio + l; c < fine; c += 32)
            s += A[riga * colonne + c] * x[c];
    somme[threadIdx.y][l] = s;
    __syncthreads();

    for (int d = 16; d > 0; d /= 2) {
        if (l < d)
            somme[threadIdx.y][l] += somme[threadIdx.y][l + d];
        __syncthreads();
    }

    if (l == 0 && riga < righe)
        y[riga] += somme[threadIdx.y][0];
}

void prodotto(const float *A, const float *x, float *y, int righe, int colonne)
{
    cudaMemset(y, 0, righe * sizeof(float));
    dim3 blocchi((righe + RIGHE - 1) / RIGHE, (colonne + FETTA - 1) / FETTA);
    mat_vet<<<blocchi, dim3(32, RIGHE)>>>(A, x, y, righe, colonne);
}
