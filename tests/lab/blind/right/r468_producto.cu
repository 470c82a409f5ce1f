#include <cuda_runtime.h>

/* Producto de matrices de enteros: bloques de una dimension (256 hilos) que
   recorren las baldosas de C con un bucle. Vale para cualquier tamano y para
   cualquier numero de bloques. */

#define LADO 16
#define HILOS (LADO * LADO)

__global__ void producto_enteros(const int *a, const int *b, int *c,
                                 int filas, int comun, int columnas)
{
    __shared__ int ta[HILOS];
    __shared__ int tb[HILOS];

    const int f = threadIdx.x / LADO;
    const int q = threadIdx.x % LADO;
    const int bald_x = (columnas + LADO - 1) / LADO;
    const int bald_y = (filas + LADO - 1) / LADO;

    for (int baldosa = blockIdx.x; baldosa < bald_x * bald_y; baldosa += gridDim.x) {
        const int fila = (baldosa / bald_x) * LADO + f;
        const int col  = (baldosa % bald_x) * LADO + q;
        int total = 0;

        for (int k0 = 0; k0 < comun; k0 += LADO) {
            int v = 0, w = 0;
            if (fila < filas && k0 + q < comun)
                v = a[fila * comun + k0 + q];
            if (k0 + f < comun && col < columnas)
                w = b[(k0 + f) * columnas + col];
            ta[threadIdx.x] = v;
            tb[threadIdx.x] = w;
            __syncthreads();
            for (int k = 0; k < LADO; k++)
                total += ta[f * LADO + k] * tb[k * LADO + q];
            __syncthreads();
        }

        if (fila < filas && col < columnas)
            c[fila * columnas + col] = total;
    }
}

void multiplicar(const int *a_dev, const int *b_dev, int *c_dev,
                 int filas, int comun, int columnas)
{
    int baldosas = ((filas + LADO - 1) / LADO) * ((columnas + LADO - 1) / LADO);
    int bloques = baldosas < 240 ? baldosas : 240;
    producto_enteros<<<bloques, HILOS>>>(a_dev, b_dev, c_dev, filas, comun, columnas);
    cudaDeviceSynchronize();
}
