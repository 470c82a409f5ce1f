// Prodotto di matrici generico: C = A * B, per righe.
//   A: righe x interno, B: interno x colonne, C: righe x colonne
// Ogni thread calcola RIGHE_PER_THREAD elementi consecutivi della stessa colonna di C.
//
// Lancio:
//   blocchi 1-D di LARG * (LARG / RIGHE_PER_THREAD) thread
//   griglia ( ceil(colonne / LARG), ceil(righe / LARG) )
#include <cuda_runtime.h>

#define LARG 32
#define RIGHE_PER_THREAD 8
#define N_THREAD (LARG * (LARG / RIGHE_PER_THREAD))

template <typename T>
__global__ void prodottoColonna(const T *__restrict__ A, const T *__restrict__ B,
                                T *__restrict__ C, int righe, int interno, int colonne)
{
    __shared__ T pezzoA[LARG][LARG];
    __shared__ T pezzoB[LARG][LARG];

    const int x = threadIdx.x % LARG;                       // colonna nel tassello
    const int gruppo = threadIdx.x / LARG;                  // 0 .. 3
    const int primaRiga = gruppo * RIGHE_PER_THREAD;        // riga nel tassello
    const int rigaBase = blockIdx.y * LARG;
    const int col = blockIdx.x * LARG + x;

    T acc[RIGHE_PER_THREAD];
#pragma unroll
    for (int r = 0; r < RIGHE_PER_THREAD; ++r)
        acc[r] = T(0);

    for (int base = 0; base < interno; base += LARG) {
        for (int r = 0; r < RIGHE_PER_THREAD; ++r) {
            const int y = primaRiga + r;
            T va = T(0), vb = T(0);
            if (rigaBase + y < righe && base + x < interno)
                va = A[(size_t)(rigaBase + y) * interno + base + x];
            if (base + y < interno && col < colonne)
                vb = B[(size_t)(base + y) * colonne + col];
            pezzoA[y][x] = va;
            pezzoB[y][x] = vb;
        }
        __syncthreads();

        for (int p = 0; p < LARG; ++p) {
            const T b = pezzoB[p][x];
#pragma unroll
            for (int r = 0; r < RIGHE_PER_THREAD; ++r)
                acc[r] += pezzoA[primaRiga + r][p] * b;
        }
        __syncthreads();
    }

    if (col < colonne) {
        for (int r = 0; r < RIGHE_PER_THREAD; ++r) {
            const int riga = rigaBase + primaRiga + r;
            if (riga < righe)
                C[(size_t)riga * colonne + col] = acc[r];
        }
    }
}

template __global__ void prodottoColonna<int>(const int *, const int *, int *, int, int, int);
template __global__ void prodottoColonna<double>(const double *, const double *, double *, int, int, int);
