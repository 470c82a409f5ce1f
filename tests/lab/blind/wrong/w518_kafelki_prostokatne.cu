// Laboratorium 3: mnożenie macierzy prostokątnych z pamięcią współdzieloną
//   A: M x K,  B: K x N,  C: M x N   (wymiary dowolne, dodatnie)
// Wywołanie: blok (KAF, KAF), siatka (ceil(N/KAF), ceil(M/KAF))

#include <cuda_runtime.h>

template <int KAF>
__global__ void mnozenie(const double *A, const double *B, double *C, int M, int N, int K)
{
    __shared__ double kafA[KAF][KAF];
    __shared__ double kafB[KAF][KAF];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int wiersz = blockIdx.y * KAF + y;
    const int kolumna = blockIdx.x * KAF + x;

    double wynik = 0.0;
    const int ileKafelkow = (K + KAF - 1) / KAF;

    for (int t = 0; t < ileKafelkow; t++)
    {
        // poza macierzą wpisujemy zero
        if (wiersz < M && t * KAF + x < N)
            kafA[y][x] = A[wiersz * K + t * KAF + x];
        else
            kafA[y][x] = 0.0;

        if (t * KAF + y < K && kolumna < N)
            kafB[y][x] = B[(t * KAF + y) * N + kolumna];
        else
            kafB[y][x] = 0.0;
        __syncthreads();

        for (int k = 0; k < KAF; k++)
            wynik += kafA[y][k] * kafB[k][x];
        __syncthreads();
    }

    if (wiersz < M && kolumna < N)
        C[wiersz * N + kolumna] = wynik;
}

template __global__ void mnozenie<16>(const double *, const double *, double *, int, int, int);
