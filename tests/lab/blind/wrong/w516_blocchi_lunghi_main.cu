// Laboratorio 2 - prodotto di matrici con blocchi "lunghi" 64x4
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

typedef struct {
    int righe;
    int colonne;
    float *dati;
} Matrice;

__global__ void prodotto(Matrice A, Matrice B, Matrice C)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= C.righe || c >= C.colonne) return;

    float s = 0.f;
    for (int k = 0; k < A.colonne; k++)
        s += A.dati[r * A.colonne + k] * B.dati[k * B.colonne + c];
    C.dati[r * C.colonne + c] = s;
}

Matrice nuova(int r, int c)
{
    Matrice m = {r, c, (float *)calloc((size_t)r * c, sizeof(float))};
    return m;
}

Matrice sullaGpu(Matrice h)
{
    Matrice d = h;
    size_t b = (size_t)h.righe * h.colonne * sizeof(float);
    cudaMalloc(&d.dati, b);
    cudaMemcpy(d.dati, h.dati, b, cudaMemcpyHostToDevice);
    return d;
}

int main(int argc, char **argv)
{
    int m = 320, k = 100, n = 320;
    if (argc == 4) {
        m = atoi(argv[1]);
        k = atoi(argv[2]);
        n = atoi(argv[3]);
    }
    if (m < 1 || k < 1 || n < 1) return 1;

    Matrice A = nuova(m, k), B = nuova(k, n), C = nuova(m, n);
    for (int i = 0; i < m * k; i++) A.dati[i] = (i % 13) * 0.25f;
    for (int i = 0; i < k * n; i++) B.dati[i] = (i % 9) * 0.5f;
    Matrice dA = sullaGpu(A), dB = sullaGpu(B), dC = sullaGpu(C);

    // un thread per ogni elemento di C
    dim3 blocco(64, 4);
    dim3 griglia((m + blocco.x - 1) / blocco.x, (n + blocco.y - 1) / blocco.y);
    prodotto<<<griglia, blocco>>>(dA, dB, dC);
    if (cudaGetLastError() != cudaSuccess) {
        printf("errore nel lancio\n");
        return 1;
    }
    cudaMemcpy(C.dati, dC.dati, (size_t)m * n * sizeof(float), cudaMemcpyDeviceToHost);

    int sbagliati = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int q = 0; q < k; q++)
                s += (double)A.dati[i * k + q] * B.dati[q * n + j];
            if (fabs(s - C.dati[i * n + j]) > 1e-3 * (1 + s)) sbagliati++;
        }
    printf("elementi sbagliati: %d\n", sbagliati);

    cudaFree(dA.dati); cudaFree(dB.dati); cudaFree(dC.dati);
    free(A.dati); free(B.dati); free(C.dati);
    return 0;
}
