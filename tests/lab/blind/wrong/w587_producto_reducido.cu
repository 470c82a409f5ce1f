// Producto reducido: antes de multiplicar se suman las filas de A de dos en dos
// (0 con 1, 2 con 3, ...) y las columnas de B de dos en dos (0 con 1, 2 con 3, ...).
// A: m x k, B: k x n, C: (m/2) x (n/2). m y n pares, k cualquiera.
//
// Lanzar con dim3 hilos(ANCHO, ALTO)
//            dim3 bloques((n/2 + ANCHO-1)/ANCHO, (m/2 + ALTO-1)/ALTO)
#include <cuda_runtime.h>

constexpr int ANCHO = 32;
constexpr int ALTO  = 8;
constexpr int PASO  = 8;    // trozo de k

__device__ inline float filaA(const float* A, int f, int p, int m, int k)
{
    if (f >= m / 2 || p >= k) return 0.0f;
    return A[f * k + p] + A[(f + m / 2) * k + p];   // la fila y su pareja
}

__device__ inline float columnaB(const float* B, int p, int c, int n, int k)
{
    if (p >= k || c >= n / 2) return 0.0f;
    return B[p * n + 2 * c] + B[p * n + 2 * c + 1];
}

__global__ void reducido(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float sa[ALTO][PASO];
    __shared__ float sb[PASO][ANCHO];

    const int fila = blockIdx.y * ALTO + threadIdx.y;
    const int col  = blockIdx.x * ANCHO + threadIdx.x;

    float total = 0.0f;
    for (int p0 = 0; p0 < k; p0 += PASO) {
        if (threadIdx.x < PASO)
            sa[threadIdx.y][threadIdx.x] = filaA(A, fila, p0 + threadIdx.x, m, k);
        sb[threadIdx.y][threadIdx.x] = columnaB(B, p0 + threadIdx.y, col, n, k);
        __syncthreads();

        for (int p = 0; p < PASO; ++p)
            total += sa[threadIdx.y][p] * sb[p][threadIdx.x];
        __syncthreads();
    }

    if (fila < m / 2 && col < n / 2)
        C[fila * (n / 2) + col] = total;
}
