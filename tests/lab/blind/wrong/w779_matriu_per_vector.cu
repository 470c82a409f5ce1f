// Practica 7: y = A x per a matrius grans
//
// A te m files i n columnes (per files). Ha de funcionar amb tota la memoria de la
// targeta, per exemple m = 100000 i n = 80000 (uns 32 GB de float).
// Un bloc per fila, reduccio en arbre.
#include <cuda_runtime.h>
#include <cstdio>

constexpr int FILS = 256;

__global__ void matriuPerVector(const float *__restrict__ A, const float *__restrict__ x,
                                float *__restrict__ y, int m, int n)
{
    __shared__ float parcial[FILS];

    for (int fila = blockIdx.x; fila < m; fila += gridDim.x) {
        const float *a = A + fila * n;

        float suma = 0.0f;
        for (int j = threadIdx.x; j < n; j += FILS)
            suma += a[j] * x[j];
        parcial[threadIdx.x] = suma;
        __syncthreads();

        for (int mig = FILS / 2; mig > 0; mig /= 2) {
            if (threadIdx.x < mig)
                parcial[threadIdx.x] += parcial[threadIdx.x + mig];
            __syncthreads();
        }

        if (threadIdx.x == 0)
            y[fila] = parcial[0];
        __syncthreads();
    }
}

// Els tres punters son de la GPU. Torna true si tot ha anat be.
bool executa(const float *A, const float *x, float *y, int m, int n)
{
    if (m < 1 || n < 1)
        return false;

    const int blocs = m < 65535 ? m : 65535;
    matriuPerVector<<<blocs, FILS>>>(A, x, y, m, n);

    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        std::fprintf(stderr, "matriuPerVector: %s\n", cudaGetErrorString(e));
        return false;
    }
    return true;
}
