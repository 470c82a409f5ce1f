// Prodotto di matrici con doppio buffer e prelievo anticipato nei registri.
// C = A * B in virgola mobile doppia, memorizzazione per righe:
// A (m x k), B (k x n), C (m x n). m, n, k multipli di 16.
// Lancio: block(16, 16), grid(n / 16, m / 16)
#include <cuda_runtime.h>

constexpr int L = 16;

// puntatore che avanza da una piastrella alla successiva
template <typename T>
class Cursore {
    const T *p_;
    const size_t passo_;
public:
    __device__ Cursore(const T *inizio, size_t passo) : p_(inizio), passo_(passo) {}
    __device__ T leggi()
    {
        T v = *p_;
        p_ += passo_;
        return v;
    }
};

__global__ void prodottoDoppioBuffer(const double *__restrict__ A, const double *__restrict__ B,
                                     double *__restrict__ C, int m, int n, int k)
{
    __shared__ double sA[2][L][L];
    __shared__ double sB[2][L][L];

    const int x = threadIdx.x, y = threadIdx.y;
    const int riga = blockIdx.y * L + y;
    const int col = blockIdx.x * L + x;

    Cursore<double> curA(A + (size_t)riga * k + x, L);            // avanza lungo la riga
    Cursore<double> curB(B + (size_t)y * n + col, (size_t)L * n); // scende di L righe

    const int passi = k / L;
    double acc = 0.0;

    sA[0][y][x] = curA.leggi();
    sB[0][y][x] = curB.leggi();
    __syncthreads();

    for (int t = 0; t < passi; ++t) {
        const int ora = t % 2;
        const int dopo = 1 - ora;

        // la lettura globale si sovrappone al calcolo
        const double prossimoA = curA.leggi();
        const double prossimoB = curB.leggi();

#pragma unroll
        for (int q = 0; q < L; ++q)
            acc += sA[ora][y][q] * sB[ora][q][x];

        sA[dopo][y][x] = prossimoA;
        sB[dopo][y][x] = prossimoB;
        __syncthreads();
    }

    C[(size_t)riga * n + col] = acc;
}
