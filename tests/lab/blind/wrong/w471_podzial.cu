// Mnozenie macierzy z podzialem wymiaru wewnetrznego na czesci (os z siatki).
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define BX 32
#define BY 8

// Bez pamieci dzielonej: watek liczy fragment sumy od poczatek do koniec i dodaje go do C.
__global__ void mnoz_czesc(const float *A, const float *B, float *C,
                           int wiersze, int wspolny, int kolumny, int dlugosc)
{
    int k = blockIdx.x * BX + threadIdx.x;
    int w = blockIdx.y * BY + threadIdx.y;
    if (w >= wiersze || k >= kolumny) return;

    int poczatek = blockIdx.z * dlugosc;
    int koniec = poczatek + dlugosc;
    if (koniec > wspolny) koniec = wspolny;

    float suma = 0.0f;
    for (int i = poczatek; i < koniec; i++)
        suma += A[w * wspolny + i] * B[i * kolumny + k];
    atomicAdd(&C[w * kolumny + k], suma);
}

static void mnoz(const float *A, const float *B, float *C,
                 int wiersze, int wspolny, int kolumny, int czesci)
{
    cudaMemset(C, 0, sizeof(float) * wiersze * kolumny);
    dim3 blok(BX, BY);
    int dlugosc = wspolny / czesci;
    dim3 siatka((kolumny + BX - 1) / BX, (wiersze + BY - 1) / BY, czesci);
    mnoz_czesc<<<siatka, blok>>>(A, B, C, wiersze, wspolny, kolumny, dlugosc);
}

int main(int argc, char **argv)
{
    int wiersze = 64, kolumny = 96;
    int wspolny = argc > 1 ? atoi(argv[1]) : 512;
    int czesci  = argc > 2 ? atoi(argv[2]) : 4;

    float *A, *B, *C;
    cudaMallocManaged(&A, sizeof(float) * wiersze * wspolny);
    cudaMallocManaged(&B, sizeof(float) * wspolny * kolumny);
    cudaMallocManaged(&C, sizeof(float) * wiersze * kolumny);
    for (int i = 0; i < wiersze * wspolny; i++) A[i] = (float)(i % 4);
    for (int i = 0; i < wspolny * kolumny; i++) B[i] = (float)(i % 3);

    mnoz(A, B, C, wiersze, wspolny, kolumny, czesci);
    cudaDeviceSynchronize();

    int zle = 0;
    for (int w = 0; w < wiersze; w++)
        for (int k = 0; k < kolumny; k++) {
            float s = 0.0f;
            for (int i = 0; i < wspolny; i++) s += A[w * wspolny + i] * B[i * kolumny + k];
            if (s != C[w * kolumny + k]) zle++;
        }
    printf("zlych elementow: %d\n", zle);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return zle ? 1 : 0;
}
