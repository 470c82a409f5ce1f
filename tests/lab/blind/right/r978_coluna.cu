// Produto C = A*B com matrizes guardadas por colunas (como no Fortran / BLAS).
// elemento (i,j) de A fica em A[i + j*lda];  A: m x k, B: k x n, C: m x n
// lda >= m, ldb >= k, ldc >= m
#include <cuda_runtime.h>

#define LADO   32
#define ALTURA 8
#define POR_FIO (LADO / ALTURA)

__global__ void prod_colunas(int m, int n, int k,
                             const float *A, int lda,
                             const float *B, int ldb,
                             float *C, int ldc)
{
    __shared__ float ta[LADO][LADO];      // ta[coluna][linha]
    __shared__ float tb[LADO][LADO + 1];  // tb[coluna][linha]

    int lin = blockIdx.x * LADO + threadIdx.x;
    int col = blockIdx.y * LADO + threadIdx.y;
    float soma[POR_FIO];

    for (int q = 0; q < POR_FIO; q++) soma[q] = 0.0f;

    int blocos = (k + LADO - 1) / LADO;
    for (int b = 0; b < blocos; b++) {
        for (int q = 0; q < POR_FIO; q++) {
            int y  = threadIdx.y + q * ALTURA;
            int ka = b * LADO + y;               // coluna de A
            int kb = b * LADO + threadIdx.x;     // linha de B
            int jb = col + q * ALTURA;           // coluna de B

            ta[y][threadIdx.x] = 0.0f;
            tb[y][threadIdx.x] = 0.0f;
            if (lin < m && ka < k) ta[y][threadIdx.x] = A[lin + ka * lda];
            if (kb < k && jb < n)  tb[y][threadIdx.x] = B[kb + jb * ldb];
        }
        __syncthreads();

        for (int p = 0; p < LADO; p++) {
            float a = ta[p][threadIdx.x];
            for (int q = 0; q < POR_FIO; q++)
                soma[q] += a * tb[threadIdx.y + q * ALTURA][p];
        }
        __syncthreads();
    }

    if (lin >= m) return;
    for (int q = 0; q < POR_FIO; q++) {
        int j = col + q * ALTURA;
        if (j < n) C[lin + j * ldc] = soma[q];
    }
}

/* lançamento:
 *   dim3 fios(LADO, ALTURA);
 *   dim3 grade((m + LADO - 1) / LADO, (n + LADO - 1) / LADO);
 *   prod_colunas<<<grade, fios>>>(m, n, k, A, lda, B, ldb, C, ldc);
 */
