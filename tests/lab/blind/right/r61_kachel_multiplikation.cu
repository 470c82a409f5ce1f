// Übungsblatt 5, Aufgabe 2: Matrixmultiplikation mit Kacheln
// Matrizen beliebiger Größe, zeilenweise gespeichert.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int KACHEL = 16;

__global__ void matMulKachel(const double *links, const double *rechts, double *ergebnis,
                             int zeilen, int innen, int spalten)
{
    __shared__ double kachelL[KACHEL][KACHEL];
    __shared__ double kachelR[KACHEL][KACHEL];

    const int lokZeile  = threadIdx.y;
    const int lokSpalte = threadIdx.x;
    const int zeile  = blockIdx.y * KACHEL + lokZeile;
    const int spalte = blockIdx.x * KACHEL + lokSpalte;

    double summe = 0.0;
    for (int start = 0; start < innen; start += KACHEL) {
        // linke Kachel
        if (zeile < zeilen && start + lokSpalte < innen)
            kachelL[lokZeile][lokSpalte] = links[zeile * innen + start + lokSpalte];
        else
            kachelL[lokZeile][lokSpalte] = 0.0;
        // rechte Kachel
        if (start + lokZeile < innen && spalte < spalten)
            kachelR[lokZeile][lokSpalte] = rechts[(start + lokZeile) * spalten + spalte];
        else
            kachelR[lokZeile][lokSpalte] = 0.0;
        __syncthreads();   // warten bis beide Kacheln voll sind

        for (int i = 0; i < KACHEL; ++i)
            summe += kachelL[lokZeile][i] * kachelR[i][lokSpalte];
        __syncthreads();   // erst danach überschreiben
    }

    if (zeile < zeilen && spalte < spalten)
        ergebnis[zeile * spalten + spalte] = summe;
}

int main()
{
    const int m = 77, k = 50, n = 93;
    double *hL = (double*)malloc(m * k * sizeof(double));
    double *hR = (double*)malloc(k * n * sizeof(double));
    double *hE = (double*)malloc(m * n * sizeof(double));
    for (int i = 0; i < m * k; i++) hL[i] = (i % 13) - 6;
    for (int i = 0; i < k * n; i++) hR[i] = (i % 7) * 0.5;

    double *dL, *dR, *dE;
    cudaMalloc((void**)&dL, m * k * sizeof(double));
    cudaMalloc((void**)&dR, k * n * sizeof(double));
    cudaMalloc((void**)&dE, m * n * sizeof(double));
    cudaMemcpy(dL, hL, m * k * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dR, hR, k * n * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    matMulKachel<<<gitter, block>>>(dL, dR, dE, m, k, n);
    cudaMemcpy(hE, dE, m * n * sizeof(double), cudaMemcpyDeviceToHost);

    int fehler = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int q = 0; q < k; q++) s += hL[i * k + q] * hR[q * n + j];
            if (fabs(s - hE[i * n + j]) > 1e-9) fehler++;
        }
    printf("%s (%d Fehler)\n", fehler ? "FALSCH" : "OK", fehler);
    cudaFree(dL); cudaFree(dR); cudaFree(dE);
    free(hL); free(hR); free(hE);
    return fehler != 0;
}
