// Práctica 3 - Producto de matrices con teselas en memoria compartida
//   A: filas x inter,  B: inter x cols,  C: filas x cols   (todas por filas)
// Las dimensiones no tienen por qué ser múltiplos de la tesela.
#include <cuda_runtime.h>

#define LADO 32
#define ALTO 8      // cada hilo calcula LADO/ALTO elementos de una columna de la tesela

__global__ void multiplicaTeselas(const float *A, const float *B, float *C,
                                  int filas, int inter, int cols)
{
    __shared__ float tA[LADO][LADO];
    __shared__ float tB[LADO][LADO];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int c  = blockIdx.x * LADO + tx;
    const int f0 = blockIdx.y * LADO + ty;

    float suma[LADO / ALTO];
    for (int p = 0; p < LADO / ALTO; ++p) suma[p] = 0.0f;

    for (int base = 0; base < inter; base += LADO) {
        // carga: 4 elementos de A y 4 de B por hilo, con ceros fuera de rango
        for (int s = 0; s < LADO; s += ALTO) {
            int f  = f0 + s;
            int ka = base + tx;
            int kb = base + ty + s;
            tA[ty + s][tx] = (f < filas && ka < inter) ? A[(size_t)f * inter + ka] : 0.0f;
            tB[ty + s][tx] = (kb < inter && c < cols)  ? B[(size_t)kb * cols + c]  : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < LADO; ++k) {
            float b = tB[k][tx];
            for (int p = 0; p < LADO / ALTO; ++p)
                suma[p] += tA[ty + p * ALTO][k] * b;
        }
        __syncthreads();   // nadie pisa la tesela siguiente hasta que todos terminen
    }

    if (c < cols)
        for (int p = 0; p < LADO / ALTO; ++p) {
            int f = f0 + p * ALTO;
            if (f < filas) C[(size_t)f * cols + c] = suma[p];
        }
}

void multiplica(const float *dA, const float *dB, float *dC, int filas, int inter, int cols)
{
    dim3 hilos(LADO, ALTO);
    dim3 bloques((cols + LADO - 1) / LADO, (filas + LADO - 1) / LADO);
    multiplicaTeselas<<<bloques, hilos>>>(dA, dB, dC, filas, inter, cols);
}
