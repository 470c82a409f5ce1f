// Promedio movil: salida[i] = media de entrada[i-R .. i+R]; fuera del vector hay ceros.
// n cualquiera.
#include <cuda_runtime.h>

#define R 4
#define HILOS 256

__global__ void promedio(const float *entrada, float *salida, int n)
{
    __shared__ float zona[HILOS + 2 * R];

    int g = blockIdx.x * HILOS + threadIdx.x;
    int l = threadIdx.x + R;

    zona[l] = g < n ? entrada[g] : 0.0f;

    if (threadIdx.x < R) {
        zona[l - R] = g >= R ? entrada[g - R] : 0.0f;
        zona[l + HILOS] = g + HILOS < n ? entrada[g + HILOS] : 0.0f;
        __syncthreads();
    }

    float s = 0.0f;
    for (int d = -R; d <= R; d++)
        s += zona[l + d];

    if (g < n)
        salida[g] = s / (2 * R + 1);
}

void filtrar(const float *entrada, float *salida, int n)
{
    promedio<<<(n + HILOS - 1) / HILOS, HILOS>>>(entrada, salida, n);
    cudaDeviceSynchronize();
}
