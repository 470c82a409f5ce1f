#include <cuda_runtime.h>

// Jeder Thread berechnet SPALTEN Elemente einer Zeile von C = A * B.
// A ist m x l, B ist l x n, C ist m x n (zeilenweise, Groessen von 1 bis 200000,
// jede Matrix hat weniger als 2^31 Elemente).

constexpr int FADEN_X = 32;
constexpr int FADEN_Y = 4;
constexpr int SPALTEN = 4;

__global__ void mehrereSpalten(const double *a, const double *b, double *c,
                               int m, int l, int n)
{
    const int i = blockIdx.y * FADEN_Y + threadIdx.y;
    const int j0 = blockIdx.x * FADEN_X * SPALTEN + threadIdx.x;

    if (i >= m)
        return;

    double s = 0.0;
    for (int q = 0; q < SPALTEN; ++q) {
        const int j = j0 + q * FADEN_X;
        if (j < n) {
            for (int p = 0; p < l; ++p)
                s += a[i * l + p] * b[p * n + j];
            c[i * n + j] = s;
        }
    }
}

void starte(const double *a, const double *b, double *c, int m, int l, int n)
{
    const int breite = FADEN_X * SPALTEN;
    const dim3 gitter((n + breite - 1) / breite, (m + FADEN_Y - 1) / FADEN_Y);
    mehrereSpalten<<<gitter, dim3(FADEN_X, FADEN_Y)>>>(a, b, c, m, l, n);
}
