// Matrix mal Vektor: y = A x mit zeilenweise gespeicherter Matrix (double).
// Ein Thread je Zeile; der Vektor x kommt stueckweise in den gemeinsamen Speicher.
#include <cuda_runtime.h>

static const int STUECK = 64;

__global__ void matvek(const double *A, const double *x, double *y, int zeilen, int spalten)
{
    __shared__ double xs[STUECK];
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    double summe = 0.0;

    for (int anfang = 0; anfang < spalten; anfang += STUECK) {
        int laenge = spalten - anfang;
        if (laenge > STUECK) laenge = STUECK;

        for (int i = threadIdx.x; i < laenge; i += blockDim.x)
            xs[i] = x[anfang + i];
        __syncthreads();

        if (z < zeilen) {
            const double *zeile = A + (long)z * spalten + anfang;
            for (int i = 0; i < laenge; i++)
                summe += zeile[i] * xs[i];
        }
        __syncthreads();   // erst danach darf xs ueberschrieben werden
    }

    if (z < zeilen)
        y[z] = summe;
}

// blockgroesse: 1 bis 1024, beliebig
void starte(const double *A, const double *x, double *y, int zeilen, int spalten, int blockgroesse)
{
    int bloecke = (zeilen + blockgroesse - 1) / blockgroesse;
    if (bloecke > 0)
        matvek<<<bloecke, blockgroesse>>>(A, x, y, zeilen, spalten);
}
