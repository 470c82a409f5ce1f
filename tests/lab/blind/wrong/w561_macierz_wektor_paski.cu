// Macierz razy wektor: jeden watek na wiersz, wektor x wczytywany paskami
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int PASEK = 128;   // dlugosc paska = liczba watkow w bloku

__global__ void mnoz(const float* A, const float* x, float* y, int wiersze, int kolumny)
{
    __shared__ float xs[PASEK];
    int w = blockIdx.x * PASEK + threadIdx.x;
    float suma = 0;

    for (int poczatek = 0; poczatek < kolumny; poczatek += PASEK)
    {
        // kazdy watek wczytuje jeden element paska
        int j = poczatek + threadIdx.x;
        xs[threadIdx.x] = j < kolumny ? x[j] : 0;
        __syncthreads();

        if (w < wiersze)
        {
            int ile = min(PASEK, kolumny - poczatek);
            for (int q = 0; q < ile; ++q)
                suma += A[(size_t)w * kolumny + poczatek + q] * xs[q];
        }
    }

    if (w < wiersze)
        y[w] = suma;
}

int main(int argc, char** argv)
{
    int wiersze = argc > 1 ? atoi(argv[1]) : 3000;
    int kolumny = argc > 2 ? atoi(argv[2]) : 2000;
    size_t ile = (size_t)wiersze * kolumny;

    float* A = new float[ile];
    float* x = new float[kolumny];
    float* y = new float[wiersze];
    for (size_t i = 0; i < ile; ++i) A[i] = (i % 17) * 0.1f;
    for (int j = 0; j < kolumny; ++j) x[j] = (j % 11) * 0.2f;

    float *dA, *dx, *dy;
    cudaMalloc(&dA, ile * sizeof(float));
    cudaMalloc(&dx, kolumny * sizeof(float));
    cudaMalloc(&dy, wiersze * sizeof(float));
    cudaMemcpy(dA, A, ile * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, kolumny * sizeof(float), cudaMemcpyHostToDevice);

    mnoz<<<(wiersze + PASEK - 1) / PASEK, PASEK>>>(dA, dx, dy, wiersze, kolumny);
    cudaMemcpy(y, dy, wiersze * sizeof(float), cudaMemcpyDeviceToHost);

    int bledy = 0;
    for (int i = 0; i < wiersze; ++i)
    {
        double s = 0;
        for (int j = 0; j < kolumny; ++j)
            s += (double)A[(size_t)i * kolumny + j] * x[j];
        if (fabs(s - y[i]) > 1e-3 * fabs(s) + 1e-3) ++bledy;
    }
    printf("%s (%d bledow)\n", bledy ? "ZLE" : "DOBRZE", bledy);

    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    delete[] A; delete[] x; delete[] y;
    return 0;
}
