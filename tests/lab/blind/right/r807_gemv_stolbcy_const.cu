// y = A * x, матрица m x n хранится по столбцам: A(i,j) = A[i + j*m].
// Размеры лежат в константной памяти. Один поток на строку, соседние потоки
// читают соседние элементы столбца.
// m и n положительные, не больше 10 000 000.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define OSHIBKA(vyzov)                                                   \
    do {                                                                 \
        cudaError_t kod = (vyzov);                                       \
        if (kod != cudaSuccess) {                                        \
            fprintf(stderr, "CUDA: %s (stroka %d)\n",                    \
                    cudaGetErrorString(kod), __LINE__);                  \
            exit(1);                                                     \
        }                                                                \
    } while (0)

struct Razmery {
    int m;
    int n;
};

__constant__ Razmery rz;

__global__ void gemvPoStolbcam(const double *__restrict__ A,
                               const double *__restrict__ x,
                               double *__restrict__ y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rz.m)
        return;

    const double *p = A + i;
    const size_t shag = rz.m;
    double s0 = 0.0, s1 = 0.0;
    int j = 0;

    // по два столбца за проход, две независимые суммы
    for (; j + 1 < rz.n; j += 2) {
        s0 += p[0] * x[j];
        s1 += p[shag] * x[j + 1];
        p += 2 * shag;
    }
    if (j < rz.n)              // нечётный последний столбец
        s0 += p[0] * x[j];

    y[i] = s0 + s1;
}

void umnozhit(const double *dA, const double *dx, double *dy, int m, int n)
{
    const Razmery h = {m, n};
    OSHIBKA(cudaMemcpyToSymbol(rz, &h, sizeof(h)));

    const int potokov = 192;
    gemvPoStolbcam<<<(m + potokov - 1) / potokov, potokov>>>(dA, dx, dy);
    OSHIBKA(cudaGetLastError());
    OSHIBKA(cudaDeviceSynchronize());
}
