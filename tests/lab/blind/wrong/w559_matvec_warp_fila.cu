/* Matriz por vector: un warp calcula una fila.
 *
 * A de tamaño filas x columnas (por filas), cualquier tamaño.
 * Lanzamiento:
 *     matvec_warp<<<(filas + 7) / 8, 256>>>(A, x, y, filas, columnas);
 * (8 warps por bloque, por eso 8 filas por bloque)
 */
#include <cuda_runtime.h>

#define TAM_WARP 32
#define WARPS_POR_BLOQUE 8

__global__ void matvec_warp(const float *A, const float *x, float *y, int filas, int columnas)
{
    int warp = threadIdx.x / TAM_WARP;
    int lane = threadIdx.x % TAM_WARP;
    int fila = blockIdx.x * WARPS_POR_BLOQUE + warp;

    // los hilos del warp recorren la fila de 32 en 32 (accesos coalescentes)
    const float *a = A + (size_t)fila * columnas;
    float suma = 0.0f;
    for (int j = lane; j < columnas; j += TAM_WARP)
        suma += a[j] * x[j];

    for (int d = TAM_WARP / 2; d > 0; d /= 2)
        suma += __shfl_down_sync(0xffffffff, suma, d);

    // el primer hilo del warp escribe el resultado
    if (lane == 0)
        y[fila] = suma;
}
