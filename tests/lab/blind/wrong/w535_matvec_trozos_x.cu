#include <cuda_runtime.h>

// y = A x con A por columnas (column-major, lda >= m): hilos vecinos leen filas vecinas.
// El vector x se trae a memoria compartida por trozos de BS elementos.
//
//   m, n > 0 cualesquiera
//   bloque de BS hilos (1D), cada hilo FILAS filas separadas por BS
//   malla: ceil(m / (BS * FILAS))

template <typename real>
__device__ inline real multiplicaSuma(real a, real b, real c) { return a * b + c; }
template <>
__device__ inline float multiplicaSuma<float>(float a, float b, float c) { return fmaf(a, b, c); }

template <typename real, int BS, int FILAS>
__global__ void matvecTrozos(const real *__restrict__ A, int lda, const real *__restrict__ x,
                             real *__restrict__ y, int m, int n)
{
    __shared__ real sx[BS];

    const int fila0 = blockIdx.x * (BS * FILAS) + threadIdx.x;
    if (fila0 >= m) return;      // este hilo no tiene ninguna fila

    real suma[FILAS];
#pragma unroll
    for (int f = 0; f < FILAS; ++f)
        suma[f] = real(0);

    for (int j0 = 0; j0 < n; j0 += BS) {
        const int j = j0 + threadIdx.x;
        sx[threadIdx.x] = (j < n) ? x[j] : real(0);
        __syncthreads();

        const int tope = min(BS, n - j0);
        for (int q = 0; q < tope; ++q) {
            const real xv = sx[q];
            const real *col = A + (size_t)(j0 + q) * lda;
#pragma unroll
            for (int f = 0; f < FILAS; ++f) {
                const int fila = fila0 + f * BS;
                if (fila < m)
                    suma[f] = multiplicaSuma<real>(col[fila], xv, suma[f]);
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (int f = 0; f < FILAS; ++f) {
        const int fila = fila0 + f * BS;
        if (fila < m)
            y[fila] = suma[f];
    }
}

template __global__ void matvecTrozos<float, 128, 2>(const float *, int, const float *, float *, int, int);
template __global__ void matvecTrozos<double, 64, 4>(const double *, int, const double *, double *, int, int);
