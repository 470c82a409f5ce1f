// Aufgabe 6: "reduziertes" Matrixprodukt
// P = A * B mit A, B quadratisch (n x n, zeilenweise), n gerade, 2 <= n <= 46340.
// Gesucht ist E (n/2 x n/2): jedes Element ist die Summe eines 2 x 2-Quadrats von P.
//
// Trick: die Summe über das Quadrat ist gleich
//     Summe_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// und braucht damit nur eine Multiplikation je k.
#include <cuda_runtime.h>

__global__ void reduziertesProdukt(const double* A, const double* B, double* E, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int h = n / 2;

    if (i < h && j < h) {
        const double* oben  = A + (2 * i) * n;
        const double* unten = oben + n;
        double summe = 0.0;
        for (int k = 0; k < n; k++) {
            double zeilen  = oben[k] + unten[k];
            double spalten = B[k * n + 2 * j] + B[k * n + 2 * j + 1];
            summe += zeilen * spalten;
        }
        E[i * n + j] = summe;
    }
}

// Rechnet mit Feldern im Hauptspeicher; e muss (n/2)*(n/2) Elemente fassen.
int reduziert(const double* a, const double* b, double* e, int n)
{
    if (n < 2 || n > 46340 || n % 2) return -1;

    size_t gross = (size_t)n * n * sizeof(double);
    size_t klein = (size_t)(n / 2) * (n / 2) * sizeof(double);
    double *da = 0, *db = 0, *de = 0;
    int ergebnis = -1;

    if (cudaMalloc(&da, gross) == cudaSuccess &&
        cudaMalloc(&db, gross) == cudaSuccess &&
        cudaMalloc(&de, klein) == cudaSuccess) {

        cudaMemcpy(da, a, gross, cudaMemcpyHostToDevice);
        cudaMemcpy(db, b, gross, cudaMemcpyHostToDevice);

        dim3 faeden(16, 16);
        dim3 bloecke((n / 2 + 15) / 16, (n / 2 + 15) / 16);
        reduziertesProdukt<<<bloecke, faeden>>>(da, db, de, n);

        if (cudaMemcpy(e, de, klein, cudaMemcpyDeviceToHost) == cudaSuccess)
            ergebnis = 0;
    }
    cudaFree(da);
    cudaFree(db);
    cudaFree(de);
    return ergebnis;
}
