// y = A x. Cada bloque toma una fila, después la fila + gridDim.x, etc.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <algorithm>

static const int HILOS = 128;

__global__ void gemv(const double *A, const double *x, double *y, int filas, int columnas)
{
    __shared__ double parcial[HILOS];
    const int h = threadIdx.x;
    double suma = 0.0;

    for (int f = blockIdx.x; f < filas; f += gridDim.x) {
        const double *a = A + (size_t)f * columnas;
        for (int c = h; c < columnas; c += HILOS)
            suma += a[c] * x[c];

        parcial[h] = suma;
        __syncthreads();
        for (int d = HILOS / 2; d > 0; d >>= 1) {
            if (h < d) parcial[h] += parcial[h + d];
            __syncthreads();
        }
        if (h == 0) y[f] = parcial[0];
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    const int filas = argc > 1 ? atoi(argv[1]) : 96;
    const int columnas = argc > 2 ? atoi(argv[2]) : 1000;
    const size_t total = (size_t)filas * columnas;

    double *A = (double *)malloc(total * sizeof(double));
    double *x = (double *)malloc(columnas * sizeof(double));
    double *y = (double *)malloc(filas * sizeof(double));
    for (size_t i = 0; i < total; i++) A[i] = (double)(i % 31) / 31.0;
    for (int i = 0; i < columnas; i++) x[i] = (double)(i % 5) - 1.0;

    double *dA, *dx, *dy;
    cudaMalloc(&dA, total * sizeof(double));
    cudaMalloc(&dx, columnas * sizeof(double));
    cudaMalloc(&dy, filas * sizeof(double));
    cudaMemcpy(dA, A, total * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, columnas * sizeof(double), cudaMemcpyHostToDevice);

    const int bloques = std::min(filas, 120);
    gemv<<<bloques, HILOS>>>(dA, dx, dy, filas, columnas);
    cudaMemcpy(y, dy, filas * sizeof(double), cudaMemcpyDeviceToHost);

    double error = 0.0;
    for (int f = 0; f < filas; f++) {
        double s = 0.0;
        for (int c = 0; c < columnas; c++) s += A[(size_t)f * columnas + c] * x[c];
        error = std::max(error, std::fabs(s - y[f]));
    }
    printf("error maximo %g\n", error);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    free(A); free(x); free(y);
    return 0;
}
