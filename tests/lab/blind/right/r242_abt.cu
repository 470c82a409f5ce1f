// C = A * B^T
//   A es m x k, B es n x k, C es m x n; todas por filas.
//
// Lanzamiento:
//   dim3 bloque(LADO, FILAS_HILO);
//   dim3 malla((n + LADO - 1) / LADO, (m + LADO - 1) / LADO);
//   productoABt<<<malla, bloque>>>(A, B, C, m, n, k);
#include <cuda_runtime.h>

constexpr int LADO = 32;          // lado de la tesela
constexpr int FILAS_HILO = 8;     // blockDim.y
constexpr int POR_HILO = LADO / FILAS_HILO;

__global__ void productoABt(const float* __restrict__ A,
                            const float* __restrict__ B,
                            float* __restrict__ C,
                            int m, int n, int k)
{
    // una columna de relleno: sb se lee por columnas en el producto
    __shared__ float sa[LADO][LADO + 1];
    __shared__ float sb[LADO][LADO + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int fila0 = blockIdx.y * LADO;
    const int col0  = blockIdx.x * LADO;

    float acum[POR_HILO];
    for (int i = 0; i < POR_HILO; ++i) acum[i] = 0.f;

    for (int p = 0; p < k; p += LADO)
    {
        for (int r = ty; r < LADO; r += FILAS_HILO)
        {
            const bool dentroK = p + tx < k;
            sa[r][tx] = (dentroK && fila0 + r < m) ? A[(size_t)(fila0 + r) * k + p + tx] : 0.f;
            sb[r][tx] = (dentroK && col0  + r < n) ? B[(size_t)(col0  + r) * k + p + tx] : 0.f;
        }
        __syncthreads();

        for (int q = 0; q < LADO; ++q)
        {
            const float b = sb[tx][q];
            for (int i = 0; i < POR_HILO; ++i)
                acum[i] += sa[ty + i * FILAS_HILO][q] * b;
        }
        __syncthreads();
    }

    const int col = col0 + tx;
    if (col < n)
    {
        for (int i = 0; i < POR_HILO; ++i)
        {
            const int fila = fila0 + ty + i * FILAS_HILO;
            if (fila < m)
                C[(size_t)fila * n + col] = acum[i];
        }
    }
}
