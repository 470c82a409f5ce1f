// Matrico oble vektoro, unu bloko por ciu vico de la matrico.
// La dimensioj trovigas en konstanta memoro kaj estas fiksitaj antau la lanco.
#include <cuda_runtime.h>

struct Dimensioj {
    int vicoj;
    int kolumnoj;
};

__constant__ Dimensioj dim;

#define FADENOJ 64

__global__ void vicoOblVektoro(const double *A, const double *x, double *y)
{
    __shared__ double sumoj[FADENOJ];

    const int vico = blockIdx.x;
    const double *a = A + (size_t)vico * dim.kolumnoj;

    double propra = 0.0;
    for (int k = threadIdx.x; k < dim.kolumnoj; k += FADENOJ)
        propra += a[k] * x[k];
    sumoj[threadIdx.x] = propra;
    __syncthreads();

    // 64 -> 32 en komuna memoro, poste la unua varpo finas per intersango de registroj
    if (threadIdx.x < 32) {
        double v = sumoj[threadIdx.x] + sumoj[threadIdx.x + 32];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffffu, v, d);
        if (threadIdx.x == 0)
            y[vico] = v;
    }
}

// Ciuj montriloj estas sur la GPU; vicoj >= 1, kolumnoj >= 1.
cudaError_t matricoOblVektoro(const double *A, const double *x, double *y, int vicoj, int kolumnoj)
{
    const Dimensioj d = {vicoj, kolumnoj};
    cudaError_t eraro = cudaMemcpyToSymbol(dim, &d, sizeof(d));
    if (eraro != cudaSuccess)
        return eraro;

    vicoOblVektoro<<<vicoj, FADENOJ>>>(A, x, y);   // po unu bloko por vico
    eraro = cudaGetLastError();
    if (eraro != cudaSuccess)
        return eraro;
    return cudaDeviceSynchronize();
}
