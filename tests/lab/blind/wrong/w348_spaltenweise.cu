// Praktikum Blatt 5, Aufgabe 2
// C = alpha * A * B + beta * C, alles spaltenweise gespeichert
//   A ist m x k mit lda >= m
//   B ist k x n mit ldb >= k
//   C ist m x n mit ldc >= m
#include <cuda_runtime.h>

static const int B_X = 16;   // Zeilen von C pro Block
static const int B_Y = 16;   // Spalten von C pro Block
static const int T_K = 16;

__global__ void gemm_sp(int m, int n, int k, double alpha, const double *A, int lda,
                        const double *B, int ldb, double beta, double *C, int ldc)
{
    // Kacheln auch spaltenweise: [Spalte][Zeile]
    __shared__ double ka[T_K][B_X];
    __shared__ double kb[B_Y][T_K + 1];

    int tx = threadIdx.x;                 // laeuft ueber die Zeilen
    int ty = threadIdx.y;                 // laeuft ueber die Spalten
    int zeile  = blockIdx.x * B_X + tx;
    int spalte = blockIdx.y * B_Y + ty;

    double s = 0.0;
    for (int p = 0; p < k; p += T_K)
    {
        if (zeile < m && p + ty < k)
            ka[ty][tx] = A[zeile + (size_t)(p + ty) * lda];
        else
            ka[ty][tx] = 0.0;

        if (p + tx < k && spalte < n)
            kb[ty][tx] = B[p + tx + (size_t)spalte * lda];
        else
            kb[ty][tx] = 0.0;

        __syncthreads();
        for (int q = 0; q < T_K; q++)
            s += ka[q][tx] * kb[ty][q];
        __syncthreads();
    }

    if (zeile < m && spalte < n)
    {
        double *c = &C[zeile + (size_t)spalte * ldc];
        *c = alpha * s + beta * (*c);
    }
}

void gemm(int m, int n, int k, double alpha, const double *A, int lda,
          const double *B, int ldb, double beta, double *C, int ldc)
{
    dim3 block(B_X, B_Y);
    dim3 grid((m + B_X - 1) / B_X, (n + B_Y - 1) / B_Y);
    gemm_sp<<<grid, block>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
