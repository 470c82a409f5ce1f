// Mnozenie macierzy z podwojnym buforem w pamieci dzielonej.
// W czasie liczenia kafla t wczytujemy juz kafel t+1 do drugiego bufora,
// dzieki temu wystarczy polowa barier.
//
// Rozmiary dowolne. Uruchomienie:
//   dim3 watki(TS, TS);
//   dim3 bloki((n + TS - 1) / TS, (m + TS - 1) / TS);
//   mnozPodwojny<float, TS><<<bloki, watki>>>(A, B, C, m, n, k);   // TS = 16 lub 32
#include <cuda_runtime.h>

template <typename Typ, int TS>
struct Bufor {
    Typ a[TS][TS];
    Typ b[TS][TS];
};

template <typename Typ, int TS>
__device__ void wczytaj(Bufor<Typ, TS> &buf, const Typ *A, const Typ *B,
                        int wiersz, int kolumna, int t, int m, int n, int k)
{
    int ka = t * TS + threadIdx.x;
    int kb = t * TS + threadIdx.y;
    buf.a[threadIdx.y][threadIdx.x] = (wiersz < m && ka < k) ? A[wiersz * k + ka] : Typ(0);
    buf.b[threadIdx.y][threadIdx.x] = (kb < k && kolumna < n) ? B[kb * n + kolumna] : Typ(0);
}

template <typename Typ, int TS>
__global__ void mnozPodwojny(const Typ *A, const Typ *B, Typ *C, int m, int n, int k)
{
    __shared__ Bufor<Typ, TS> buf[2];

    int wiersz = blockIdx.y * TS + threadIdx.y;
    int kolumna = blockIdx.x * TS + threadIdx.x;
    int kafle = (k + TS - 1) / TS;

    Typ suma = 0;
    int teraz = 0;

    wczytaj<Typ, TS>(buf[0], A, B, wiersz, kolumna, 0, m, n, k);
    __syncthreads();

    for (int t = 0; t < kafle; ++t) {
        if (t + 1 < kafle)
            wczytaj<Typ, TS>(buf[1 - teraz], A, B, wiersz, kolumna, t + 1, m, n, k);

#pragma unroll
        for (int i = 0; i < TS; ++i)
            suma += buf[teraz].a[threadIdx.y][i] * buf[teraz].b[i][threadIdx.x];

        // zamiana buforow
        teraz = 1 - teraz;
    }

    if (wiersz < m && kolumna < n)
        C[wiersz * n + kolumna] = suma;
}

// jawne instancje
template __global__ void mnozPodwojny<float, 16>(const float *, const float *, float *, int, int, int);
template __global__ void mnozPodwojny<float, 32>(const float *, const float *, float *, int, int, int);
