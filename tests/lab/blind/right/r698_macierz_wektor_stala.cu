// Lab 3: mnożenie macierz * wektor, wektor w pamięci stałej
// Macierz trzymamy kolumnami, wtedy sąsiednie wątki czytają sąsiednie komórki.
#include <cstdio>
#include <cuda_runtime.h>

#define MAKS_KOLUMN 4096
#define WATKI 128

__constant__ float wektor[MAKS_KOLUMN];

__global__ void mnoz(const float *M, float *wynik, int wiersze, int kolumny)
{
    int w = threadIdx.x + blockIdx.x * blockDim.x;
    if (w >= wiersze) return;

    float suma = 0.0f;
    int k = 0;
    for (; k + 4 <= kolumny; k += 4) {       // rozwinięta pętla
        suma += M[w + k * wiersze]       * wektor[k];
        suma += M[w + (k + 1) * wiersze] * wektor[k + 1];
        suma += M[w + (k + 2) * wiersze] * wektor[k + 2];
        suma += M[w + (k + 3) * wiersze] * wektor[k + 3];
    }
    for (; k < kolumny; k++)                 // reszta
        suma += M[w + k * wiersze] * wektor[k];

    wynik[w] = suma;
}

// zwraca false gdy kolumn jest za dużo; wiersze * kolumny < 2^31
bool macierz_razy_wektor(const float *hM, const float *hx, float *hy, int wiersze, int kolumny)
{
    if (kolumny < 1 || kolumny > MAKS_KOLUMN || wiersze < 1) return false;

    float *dM, *dy;
    size_t bajty = sizeof(float) * wiersze * kolumny;
    cudaMalloc(&dM, bajty);
    cudaMalloc(&dy, sizeof(float) * wiersze);
    cudaMemcpy(dM, hM, bajty, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(wektor, hx, sizeof(float) * kolumny);

    int bloki = (wiersze - 1) / WATKI + 1;
    mnoz<<<bloki, WATKI>>>(dM, dy, wiersze, kolumny);

    cudaMemcpy(hy, dy, sizeof(float) * wiersze, cudaMemcpyDeviceToHost);
    cudaFree(dM);
    cudaFree(dy);
    return true;
}

int main()
{
    const int W = 301, K = 203;
    static float M[W * K], x[K], y[W];
    for (int k = 0; k < K; k++) {
        x[k] = (k % 4) - 1.5f;
        for (int w = 0; w < W; w++) M[w + k * W] = (w + k) % 9 * 0.25f;
    }
    if (!macierz_razy_wektor(M, x, y, W, K)) { puts("za duzo kolumn"); return 1; }
    for (int w = 0; w < W; w += 50) {
        float s = 0;
        for (int k = 0; k < K; k++) s += M[w + k * W] * x[k];
        printf("wiersz %3d: gpu %8.3f cpu %8.3f\n", w, y[w], s);
    }
    return 0;
}
