// Producto reducido, tamaños cualesquiera (también impares).
// C tiene (m+1)/2 filas y (n+1)/2 columnas; si m o n es impar,
// la última fila (columna) no tiene pareja y se suma sola.
#include <cuda_runtime.h>

static const int ANCHO = 32;   // columnas de C por bloque, y trozo de k
static const int ALTO  = 4;    // filas de C por bloque

__global__ void reducido(const float* A, const float* B, float* C,
                         int m, int n, int k)
{
    __shared__ float filas[ALTO][ANCHO];

    const int filasC = (m + 1) / 2;
    const int colsC  = (n + 1) / 2;
    const int i = blockIdx.y * ALTO + threadIdx.y;
    const int j = blockIdx.x * ANCHO + threadIdx.x;

    float total = 0.0f;
    for (int base = 0; base < k; base += ANCHO)
    {
        const int kk = base + threadIdx.x;
        float v = 0.0f;
        if (kk < k)
        {
            if (2 * i < m)
                v += A[(size_t)(2 * i) * k + kk];
            if (2 * i < m)
                v += A[(size_t)(2 * i + 1) * k + kk];
        }
        filas[threadIdx.y][threadIdx.x] = v;
        __syncthreads();

        const int tope = min(ANCHO, k - base);
        if (j < colsC)
        {
            for (int q = 0; q < tope; ++q)
            {
                const float* filaB = B + (size_t)(base + q) * n;
                float par = filaB[2 * j];
                if (2 * j + 1 < n)
                    par += filaB[2 * j + 1];
                total += filas[threadIdx.y][q] * par;
            }
        }
        __syncthreads();
    }

    if (i < filasC && j < colsC)
        C[(size_t)i * colsC + j] = total;
}

void ejecutar(const float* A, const float* B, float* C, int m, int n, int k)
{
    const int filasC = (m + 1) / 2, colsC = (n + 1) / 2;
    dim3 hilos(ANCHO, ALTO);
    dim3 bloques((colsC + ANCHO - 1) / ANCHO, (filasC + ALTO - 1) / ALTO);
    reducido<<<bloques, hilos>>>(A, B, C, m, n, k);
}
