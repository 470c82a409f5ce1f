// Práctica 6: producto de matrices por lotes, al estilo de BLAS.
//
//   C_p = alfa * A_p * B_p + beta * C_p      p = 0 .. lotes-1
//
// Almacenamiento por columnas con dimensiones principales lda >= m,
// ldb >= k, ldc >= m. Entre una matriz y la siguiente hay pasoA, pasoB,
// pasoC elementos (pasoC >= ldc * n). Con beta == 0 no se lee C.
// Restricción: 1 <= lotes <= 65535 (dimensión z de la malla); m, n, k >= 1, n <= 262140.
#include <cuda_runtime.h>

struct Matriz {
    double*   datos;
    int       ld;
    long long paso;
};

struct MatrizConst {
    const double* datos;
    int           ld;
    long long     paso;
};

#define POS(f, c, ld) ((size_t)(c) * (ld) + (f))

__global__ void gemmPorLotes(int m, int n, int k, double alfa,
                             MatrizConst a, MatrizConst b,
                             double beta, Matriz c)
{
    const int fila = blockIdx.x * blockDim.x + threadIdx.x;
    const int col  = blockIdx.y * blockDim.y + threadIdx.y;
    const int lote = blockIdx.z;

    if (fila >= m || col >= n) return;

    const double* A = a.datos + lote * a.paso;
    const double* B = b.datos + lote * b.paso;
    double*       C = c.datos + lote * c.paso;

    double acum = 0.0;
    for (int p = 0; p < k; ++p)
        acum += A[POS(fila, p, a.ld)] * B[POS(p, col, b.ld)];

    double res = alfa * acum;
    if (beta != 0.0)
        res += beta * C[POS(fila, col, c.ld)];
    C[POS(fila, col, c.ld)] = res;
}

// Los punteros son de dispositivo. La llamada es asíncrona en "flujo".
cudaError_t lanzarGemmPorLotes(int m, int n, int k, double alfa,
                               const double* dA, int lda, long long pasoA,
                               const double* dB, int ldb, long long pasoB,
                               double beta,
                               double* dC, int ldc, long long pasoC,
                               int lotes, cudaStream_t flujo)
{
    if (m < 1 || n < 1 || k < 1 || lotes < 1 || lotes > 65535 || n > 262140)
        return cudaErrorInvalidValue;
    if (lda < m || ldb < k || ldc < m)
        return cudaErrorInvalidValue;

    MatrizConst a = {dA, lda, pasoA};
    MatrizConst b = {dB, ldb, pasoB};
    Matriz      c = {dC, ldc, pasoC};

    // las filas van en x: los accesos por columnas quedan contiguos
    dim3 bloque(32, 4);
    dim3 malla((m + bloque.x - 1) / bloque.x,
               (n + bloque.y - 1) / bloque.y,
               lotes);
    gemmPorLotes<<<malla, bloque, 0, flujo>>>(m, n, k, alfa, a, b, beta, c);
    return cudaGetLastError();
}
