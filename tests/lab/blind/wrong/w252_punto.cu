// Producto punto en doble precision.
// Antes de lanzar hay que poner *resultado a cero:
//   cudaMemset(resultado, 0, sizeof(double));
//   int bloques = (n + 4 * HILOS - 1) / (4 * HILOS);
//   productoPunto<<<bloques, HILOS>>>(x, y, resultado, n);
#include <cuda_runtime.h>

#define HILOS 512

__global__ void productoPunto(const double *x, const double *y, double *resultado, int n)
{
    __shared__ double suma[HILOS];
    const int id = threadIdx.x;

    // cada hilo toma cuatro elementos, separados por HILOS
    long long pos = (long long)blockIdx.x * HILOS * 4 + id;
    double local = 0.0;
    for (int e = 0; e < 4; ++e, pos += HILOS) {
        if (pos < n)
            local += x[pos] * y[pos];
    }
    suma[id] = local;
    __syncthreads();

    for (int mitad = HILOS / 2; mitad >= 1; mitad >>= 1) {
        if (id < mitad)
            suma[id] += suma[id + mitad];
        __syncthreads();
    }

    if (id == 0)
        *resultado += suma[0];
}
