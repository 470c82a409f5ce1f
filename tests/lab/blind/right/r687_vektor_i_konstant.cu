// Matris gånger vektor, där vektorn (t.ex. en kraftkonstant per mod) ligger i
// konstant minne. Antalet kolumner är högst NMAX, antalet rader är fritt.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define NMAX 2048
#define KOLL(anrop) do { cudaError_t fel = (anrop); if (fel != cudaSuccess) { \
    printf("CUDA-fel rad %d: %s\n", __LINE__, cudaGetErrorString(fel)); exit(1); } } while (0)

__constant__ double cx[NMAX];

// Lagring som i Fortran: a(i,j) ligger på plats i + j*rader.
__global__ void mat_vek(const double *a, double *y, int rader, int kolumner)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= rader) return;

    double s0 = 0.0, s1 = 0.0;
    int j = 0;
    for (; j + 1 < kolumner; j += 2) {        // utrullad två steg
        s0 += a[i + (size_t)j * rader] * cx[j];
        s1 += a[i + (size_t)(j + 1) * rader] * cx[j + 1];
    }
    if (j < kolumner)                         // udda antal
        s0 += a[i + (size_t)j * rader] * cx[j];
    y[i] = s0 + s1;
}

int main()
{
    int rader = 1000, kolumner = 333;
    if (kolumner > NMAX) return 1;

    size_t na = (size_t)rader * kolumner;
    double *a = new double[na], *x = new double[kolumner], *y = new double[rader];
    for (size_t p = 0; p < na; p++) a[p] = (double)(rand() % 1000) / 1000.0;
    for (int j = 0; j < kolumner; j++) x[j] = 1.0 / (j + 1);

    double *da, *dy;
    KOLL(cudaMalloc(&da, na * sizeof(double)));
    KOLL(cudaMalloc(&dy, rader * sizeof(double)));
    KOLL(cudaMemcpy(da, a, na * sizeof(double), cudaMemcpyHostToDevice));
    KOLL(cudaMemcpyToSymbol(cx, x, kolumner * sizeof(double)));

    int tradar = 192;
    mat_vek<<<(rader + tradar - 1) / tradar, tradar>>>(da, dy, rader, kolumner);
    KOLL(cudaGetLastError());
    KOLL(cudaMemcpy(y, dy, rader * sizeof(double), cudaMemcpyDeviceToHost));

    double storst = 0;
    for (int i = 0; i < rader; i++) {
        double s = 0;
        for (int j = 0; j < kolumner; j++) s += a[i + (size_t)j * rader] * x[j];
        storst = fmax(storst, fabs(s - y[i]));
    }
    printf("storsta avvikelse %g\n", storst);

    KOLL(cudaFree(da));
    KOLL(cudaFree(dy));
    delete[] a; delete[] x; delete[] y;
    return 0;
}
