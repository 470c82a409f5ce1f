// C = alpha * A * B + beta * C, rangement par colonnes comme dans BLAS
//   A : m x k (lda >= m),  B : k x n (ldb >= k),  C : m x n (ldc >= m)
// Tailles quelconques.
// Lancement :
//   dim3 threads(T, T);
//   dim3 blocs((m + T - 1) / T, (n + T - 1) / T);   // x suit les lignes !
//   gemm_colonnes<<<blocs, threads>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
#include <cuda_runtime.h>

#define T 16
#define IDX(i, j, ld) ((size_t)(j) * (ld) + (i))

__global__ void gemm_colonnes(int m, int n, int k,
                              float alpha, const float *A, int lda,
                              const float *B, int ldb,
                              float beta, float *C, int ldc)
{
    __shared__ float a[T][T + 1];   // a[q][i]
    __shared__ float b[T][T + 1];   // b[j][q]

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i = blockIdx.x * T + tx;    // ligne de C
    int j = blockIdx.y * T + ty;    // colonne de C

    float somme = 0.f;
    for (int k0 = 0; k0 < k; k0 += T) {
        // les threads voisins lisent des lignes voisines => acces contigus
        if (i < m && k0 + ty < k)
            a[ty][tx] = A[IDX(i, k0 + ty, lda)];
        else
            a[ty][tx] = 0.f;

        if (k0 + tx < k && j < n)
            b[ty][tx] = B[IDX(k0 + tx, j, ldb)];
        else
            b[ty][tx] = 0.f;

        __syncthreads();

        for (int q = 0; q < T; q++)
            somme += a[q][tx] * b[ty][q];

        __syncthreads();
    }

    if (i < m && j < n) {
        // si beta vaut zero, C peut contenir n'importe quoi (NaN), on ne la lit pas
        if (beta == 0.f)
            C[IDX(i, j, ldc)] = alpha * somme;
        else
            C[IDX(i, j, ldc)] = alpha * somme + beta * C[IDX(i, j, ldc)];
    }
}
