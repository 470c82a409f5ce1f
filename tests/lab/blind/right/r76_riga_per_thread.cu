/* Esercizio 7: un thread per ogni riga di C. La colonna corrente di B viene
   portata in memoria condivisa a pezzi, perche' tutti i thread la usano. */
#include <stdio.h>
#include <stdlib.h>

#define PEZZO 128   /* = thread per blocco */

__global__ void moltiplica(const int *a, const int *b, int *c, int righe, int comune, int colonne)
{
    __shared__ int colB[PEZZO];
    int riga = blockIdx.x * PEZZO + threadIdx.x;

    for (int j = 0; j < colonne; j++) {
        int somma = 0;
        for (int base = 0; base < comune; base += PEZZO) {
            int k = base + threadIdx.x;
            if (k < comune)
                colB[threadIdx.x] = b[k * colonne + j];
            __syncthreads();

            int fine = comune - base < PEZZO ? comune - base : PEZZO;
            if (riga < righe)
                for (int t = 0; t < fine; t++)
                    somma += a[riga * comune + base + t] * colB[t];
            __syncthreads();
        }
        if (riga < righe)
            c[riga * colonne + j] = somma;
    }
}

int main(void)
{
    int righe = 150, comune = 200, colonne = 9;
    size_t na = (size_t)righe * comune, nb = (size_t)comune * colonne, nc = (size_t)righe * colonne;
    int *a = (int *)malloc(na * sizeof(int));
    int *b = (int *)malloc(nb * sizeof(int));
    int *c = (int *)malloc(nc * sizeof(int));
    for (size_t i = 0; i < na; i++) a[i] = (int)(i % 10);
    for (size_t i = 0; i < nb; i++) b[i] = (int)(i % 4) - 1;

    int *d_a, *d_b, *d_c;
    cudaMalloc((void **)&d_a, na * sizeof(int));
    cudaMalloc((void **)&d_b, nb * sizeof(int));
    cudaMalloc((void **)&d_c, nc * sizeof(int));
    cudaMemcpy(d_a, a, na * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, nb * sizeof(int), cudaMemcpyHostToDevice);

    moltiplica<<<(righe + PEZZO - 1) / PEZZO, PEZZO>>>(d_a, d_b, d_c, righe, comune, colonne);
    cudaMemcpy(c, d_c, nc * sizeof(int), cudaMemcpyDeviceToHost);

    int errori = 0;
    for (int i = 0; i < righe; i++)
        for (int j = 0; j < colonne; j++) {
            int s = 0;
            for (int k = 0; k < comune; k++) s += a[i * comune + k] * b[k * colonne + j];
            if (s != c[i * colonne + j]) errori++;
        }
    printf("errori: %d\n", errori);
    cudaFree(d_a); cudaFree(d_b); cudaFree(d_c);
    free(a); free(b); free(c);
    return errori > 0;
}
