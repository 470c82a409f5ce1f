// Supistettu matriisitulo: lasketaan P = A * B ja summataan P 2 x 2 -ruuduittain.
//   A: m x k, B: k x n, tulos: (m / 2) x (n / 2), kaikki riveittäin.
// Rajoitus: m ja n ovat parillisia. k on mikä tahansa positiivinen luku.
// Lisäksi m <= 65535 * 16 (hilan y-suunnan raja).
//
// Lohko on 16 x 16 säiettä, joten yksi loimi (32 säiettä) kattaa kaksi
// peräkkäistä riviä: lanit 0..15 parillisen ja lanit 16..31 parittoman rivin.
// Ruudun summa saadaan kahdella sekoituksella ilman jaettua muistia.
//
//   dim3 lohko(16, 16);
//   dim3 hila((n + 15) / 16, (m + 15) / 16);
//   supistettuTulo<float><<<hila, lohko>>>(A, B, tulos, m, k, n);
#include <cuda_runtime.h>

#define KOKO 16

template <typename T>
__global__ void supistettuTulo(const T *A, const T *B, T *tulos,
                               int m, int k, int n)
{
    __shared__ T palaA[KOKO][KOKO];
    __shared__ T palaB[KOKO][KOKO];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int rivi = blockIdx.y * KOKO + y;
    const int sarake = blockIdx.x * KOKO + x;

    T arvo = T(0);
    const int paloja = (k + KOKO - 1) / KOKO;
    for (int p = 0; p < paloja; ++p) {
        const int ka = p * KOKO + x;
        const int kb = p * KOKO + y;

        palaA[y][x] = T(0);
        palaB[y][x] = T(0);
        if (rivi < m && ka < k)
            palaA[y][x] = A[rivi * k + ka];
        if (kb < k && sarake < n)
            palaB[y][x] = B[kb * n + sarake];
        __syncthreads();

        for (int i = 0; i < KOKO; ++i)
            arvo += palaA[y][i] * palaB[i][x];
        __syncthreads();
    }

    // kaikki säikeet ovat vielä mukana; reunan ulkopuoliset arvot ovat nollia
    arvo += __shfl_xor_sync(0xffffffffu, arvo, 1);     // naapurisarake
    arvo += __shfl_xor_sync(0xffffffffu, arvo, KOKO);  // naapuririvi

    if (x % 2 == 0 && y % 2 == 0 && rivi < m && sarake < n)
        tulos[(rivi / 2) * (n / 2) + sarake / 2] = arvo;
}

template __global__ void supistettuTulo<float>(const float *, const float *, float *,
                                               int, int, int);
template __global__ void supistettuTulo<double>(const double *, const double *, double *,
                                                int, int, int);
