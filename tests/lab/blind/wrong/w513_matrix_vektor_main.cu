// Praktikum GPU-Programmierung, Blatt 1, Aufgabe 3: Matrix mal Vektor
// Aufruf: ./blatt1 [Zeilen] [Spalten]
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>

__global__ void matVek(const double *A, const double *x, double *y, int zeilen, int spalten)
{
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    if (z < zeilen) {
        double s = 0.0;
        for (int j = 0; j < spalten; j++)
            s += A[(size_t)z * spalten + j] * x[j];
        y[z] = s;
    }
}

int main(int argc, char **argv)
{
    int zeilen  = (argc > 1) ? atoi(argv[1]) : 500;
    int spalten = (argc > 2) ? atoi(argv[2]) : 500;
    if (zeilen < 1 || spalten < 1) {
        fprintf(stderr, "ungueltige Groesse\n");
        return 1;
    }

    // Speicher auf dem Host
    double *A = new double[(size_t)zeilen * spalten];
    double *x = new double[spalten];
    double *y = new double[zeilen];
    for (int i = 0; i < zeilen; i++)
        for (int j = 0; j < spalten; j++)
            A[(size_t)i * spalten + j] = 1.0 / (1.0 + i + j);
    for (int j = 0; j < spalten; j++)
        x[j] = j % 2 ? 2.0 : 1.0;

    // Speicher auf der Grafikkarte
    size_t bytesA = (size_t)zeilen * spalten * sizeof(double);
    size_t bytesV = spalten * sizeof(double);
    double *A_dev, *x_dev, *y_dev;
    cudaMalloc(&A_dev, bytesA);
    cudaMalloc(&x_dev, bytesV);
    cudaMalloc(&y_dev, zeilen * sizeof(double));

    cudaMemcpy(A_dev, A, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(x_dev, x, bytesV, cudaMemcpyHostToDevice);

    int threads = 64;
    int bloecke = (zeilen + threads - 1) / threads;
    matVek<<<bloecke, threads>>>(A_dev, x_dev, y_dev, zeilen, spalten);

    // Ergebnisvektor zurückholen
    cudaMemcpy(y, y_dev, bytesV, cudaMemcpyDeviceToHost);

    double maxFehler = 0.0;
    for (int i = 0; i < zeilen; i++) {
        double s = 0.0;
        for (int j = 0; j < spalten; j++)
            s += A[(size_t)i * spalten + j] * x[j];
        maxFehler = fmax(maxFehler, fabs(s - y[i]));
    }
    printf("maximaler Fehler: %e\n", maxFehler);

    cudaFree(A_dev);
    cudaFree(x_dev);
    cudaFree(y_dev);
    delete[] A;
    delete[] x;
    delete[] y;
    return maxFehler < 1e-9 ? 0 : 1;
}
