/*
 * dgemm em lote, ordem por colunas (como na BLAS), com passo constante entre matrizes:
 *   C_l = alfa * A_l * B_l + beta * C_l,   l = 0 .. lotes-1
 *   A_l : m x k (lda >= m), B_l : k x n (ldb >= k), C_l : m x n (ldc >= m)
 * Com beta == 0 a matriz C não é lida.
 */
#include <cuda_runtime.h>

#define T 16

__global__ void dgemm_lote(int m, int n, int k, double alfa,
                           const double *A, int lda, long long passoA,
                           const double *B, int ldb, long long passoB,
                           double beta,
                           double *C, int ldc, long long passoC, int lotes)
{
    __shared__ double sA[T][T];      /* sA[p][linha]  */
    __shared__ double sB[T][T + 1];  /* sB[coluna][p] */

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.x * T + tx;
    int j = blockIdx.y * T + ty;

    for (int l = blockIdx.z; l < lotes; l += gridDim.z) {
        const double *a = A + l * passoA;
        const double *b = B + l * passoB;
        double acc = 0.0;

        for (int p0 = 0; p0 < k; p0 += T) {
            sA[ty][tx] = (i < m && p0 + ty < k) ? a[i + (size_t)(p0 + ty) * lda] : 0.0;
            sB[ty][tx] = (j < n && p0 + tx < k) ? b[p0 + tx + (size_t)j * ldb] : 0.0;
            __syncthreads();
            for (int q = 0; q < T; q++)
                acc += sA[q][tx] * sB[ty][q];
            __syncthreads();
        }

        if (i < m && j < n) {
            double *c = C + l * passoC + i + (size_t)j * ldc;
            if (beta == 0.0)
                *c = alfa * acc;
            else
                *c = alfa * acc + beta * *c;
        }
    }
}

/* todos os ponteiros são do dispositivo */
int lanca_dgemm_lote(int m, int n, int k, double alfa,
                     const double *A, int lda, long long passoA,
                     const double *B, int ldb, long long passoB,
                     double beta, double *C, int ldc, long long passoC, int lotes)
{
    if (m <= 0 || n <= 0 || lotes <= 0)
        return 0;
    if (lda < m || ldb < k || ldc < m)
        return -1;
    dim3 bloco(T, T, 1);
    dim3 grade((m + T - 1) / T, (n + T - 1) / T, lotes < 65535 ? lotes : 65535);
    dgemm_lote<<<grade, bloco>>>(m, n, k, alfa, A, lda, passoA, B, ldb, passoB,
                                 beta, C, ldc, passoC, lotes);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
