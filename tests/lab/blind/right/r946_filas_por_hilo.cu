// Práctica 3 - producto de matrices C = A * B  (A: m x p, B: p x n)
// Cada bloque calcula 32 filas x 16 columnas; cada hilo, FPH filas separadas por ALTO.
#include <cuda_runtime.h>

#define ANCHO 16
#define ALTO   8
#define FPH    4
#define PROF  16

__global__ void producto(const float *A, const float *B, float *C, int m, int n, int p)
{
    __shared__ float trozoA[ALTO * FPH][PROF + 1];
    __shared__ float trozoB[PROF][ANCHO];

    const int hx = threadIdx.x, hy = threadIdx.y;
    const int col = blockIdx.x * ANCHO + hx;
    const int fila0 = blockIdx.y * ALTO * FPH;
    float suma[FPH] = {0.f, 0.f, 0.f, 0.f};

    for (int base = 0; base < p; base += PROF) {
        for (int r = hy; r < ALTO * FPH; r += ALTO) {
            int f = fila0 + r, c = base + hx;
            trozoA[r][hx] = (f < m && c < p) ? A[f * p + c] : 0.f;
        }
        for (int r = hy; r < PROF; r += ALTO) {
            int f = base + r;
            trozoB[r][hx] = (f < p && col < n) ? B[f * n + col] : 0.f;
        }
        __syncthreads();

        const int tope = min(PROF, p - base);
        for (int q = 0; q < tope; ++q) {
            float b = trozoB[q][hx];
            for (int s = 0; s < FPH; ++s)
                suma[s] += trozoA[hy + s * ALTO][q] * b;
        }
        __syncthreads();
    }

    if (col >= n) return;
    for (int s = 0; s < FPH; ++s) {
        int f = fila0 + hy + s * ALTO;
        if (f < m) C[f * n + col] = suma[s];
    }
}

void lanzar_producto(const float *dA, const float *dB, float *dC, int m, int n, int p)
{
    dim3 hilos(ANCHO, ALTO);
    dim3 bloques((n + ANCHO - 1) / ANCHO, (m + ALTO * FPH - 1) / (ALTO * FPH));
    producto<<<bloques, hilos>>>(dA, dB, dC, m, n, p);
}
