/*
 * dgemm « façon BLAS » : C = A * B, matrices rangées par colonnes
 *   A(i,p) = A[i + p*lda]    (m x k, lda >= m)
 *   B(p,j) = B[p + j*ldb]    (k x n, ldb >= k)
 *   C(i,j) = C[i + j*ldc]    (m x n, ldc >= m)
 * Bloc 32x8 : chaque thread calcule 4 éléments d'une même ligne de C.
 */
#include <cuda_runtime.h>
#include <cassert>

#define TUILE 32
#define PAS   8
#define NB    (TUILE / PAS)

__global__ void dgemm_col(int m, int n, int k,
                          const double *A, int lda,
                          const double *B, int ldb,
                          double *C, int ldc)
{
    __shared__ double sA[TUILE][TUILE];       /* sA[p][i] */
    __shared__ double sB[TUILE][TUILE + 1];   /* sB[j][p] */

    int tx = threadIdx.x, ty = threadIdx.y;
    int i  = blockIdx.x * TUILE + tx;
    int j0 = blockIdx.y * TUILE;
    double acc[NB];
    for (int s = 0; s < NB; s++)
        acc[s] = 0.0;

    for (int p0 = 0; p0 < k; p0 += TUILE) {
        for (int s = 0; s < NB; s++) {
            int v = ty + s * PAS;
            double a = 0.0, b = 0.0;
            if (i < m && p0 + v < k)
                a = A[i + (size_t)(p0 + v) * lda];
            if (p0 + tx < k && j0 + v < n)
                b = B[p0 + tx + (size_t)(j0 + v) * ldb];
            sA[v][tx] = a;
            sB[v][tx] = b;
        }
        __syncthreads();

        for (int p = 0; p < TUILE; p++) {
            double a = sA[p][tx];
            for (int s = 0; s < NB; s++)
                acc[s] += a * sB[ty + s * PAS][p];
        }
        __syncthreads();
    }

    if (i < m)
        for (int s = 0; s < NB; s++) {
            int j = j0 + ty + s * PAS;
            if (j < n)
                C[i + (size_t)j * ldc] = acc[s];
        }
}

/* pointeurs sur la carte */
void dgemm(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
           double *C, int ldc)
{
    assert(m > 0 && n > 0 && k > 0);
    assert(lda >= m && ldb >= k && ldc >= m);
    dim3 bloc(TUILE, PAS);
    dim3 grille((m + TUILE - 1) / TUILE, (n + TUILE - 1) / TUILE);
    dgemm_col<<<grille, bloc>>>(m, n, k, A, lda, B, ldb, C, ldc);
    cudaDeviceSynchronize();
}
