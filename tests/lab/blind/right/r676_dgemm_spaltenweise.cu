/* Uebungsblatt 3: DGEMM wie in BLAS, spaltenweise gespeichert (wir kommen von Fortran)
 *
 *     C := alpha * A * B + beta * C
 *
 * A ist m x k (lda >= m), B ist k x n (ldb >= k), C ist m x n (ldc >= m).
 * Alle Groessen > 0 sind erlaubt, auch solche, die kein Vielfaches von TB sind.
 */
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define TB 16
#define IDX(i, j, ld) ((size_t)(j) * (ld) + (i))

__global__ void dgemm_nn(int m, int n, int k, double alpha,
                         const double *A, int lda, const double *B, int ldb,
                         double beta, double *C, int ldc)
{
    __shared__ double sA[TB][TB + 1];   // sA[l][i]
    __shared__ double sB[TB][TB + 1];   // sB[j][l]

    const int ti = threadIdx.x, tj = threadIdx.y;
    const int i = blockIdx.x * TB + ti;      // x laeuft ueber Zeilen: koaleszent!
    const int j = blockIdx.y * TB + tj;

    double summe = 0.0;
    for (int l0 = 0; l0 < k; l0 += TB) {
        sA[tj][ti] = (i < m && l0 + tj < k) ? A[IDX(i, l0 + tj, lda)] : 0.0;
        sB[tj][ti] = (l0 + ti < k && j < n) ? B[IDX(l0 + ti, j, ldb)] : 0.0;
        __syncthreads();
        for (int l = 0; l < TB; ++l)
            summe += sA[l][ti] * sB[tj][l];
        __syncthreads();
    }
    if (i < m && j < n) {
        // wie im Original-BLAS: bei beta == 0 wird C nicht gelesen
        const double alt = (beta == 0.0) ? 0.0 : beta * C[IDX(i, j, ldc)];
        C[IDX(i, j, ldc)] = alpha * summe + alt;
    }
}

int main()
{
    const int m = 75, n = 41, k = 53;
    const int lda = 80, ldb = 56, ldc = 77;
    const double alpha = 1.5, beta = -0.25;

    double *A = (double *)malloc(sizeof(double) * lda * k);
    double *B = (double *)malloc(sizeof(double) * ldb * n);
    double *C = (double *)malloc(sizeof(double) * ldc * n);
    double *R = (double *)malloc(sizeof(double) * ldc * n);
    for (int p = 0; p < lda * k; ++p) A[p] = sin(0.1 * p);
    for (int p = 0; p < ldb * n; ++p) B[p] = cos(0.2 * p);
    for (int p = 0; p < ldc * n; ++p) C[p] = 0.01 * p;

    double *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(double) * lda * k);
    cudaMalloc(&dB, sizeof(double) * ldb * n);
    cudaMalloc(&dC, sizeof(double) * ldc * n);
    cudaMemcpy(dA, A, sizeof(double) * lda * k, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(double) * ldb * n, cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C, sizeof(double) * ldc * n, cudaMemcpyHostToDevice);

    dim3 faden(TB, TB);
    dim3 gitter((m + TB - 1) / TB, (n + TB - 1) / TB);
    dgemm_nn<<<gitter, faden>>>(m, n, k, alpha, dA, lda, dB, ldb, beta, dC, ldc);
    cudaMemcpy(R, dC, sizeof(double) * ldc * n, cudaMemcpyDeviceToHost);

    double fehler = 0.0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            double s = 0.0;
            for (int l = 0; l < k; ++l) s += A[IDX(i, l, lda)] * B[IDX(l, j, ldb)];
            s = alpha * s + beta * C[IDX(i, j, ldc)];
            fehler = fmax(fehler, fabs(s - R[IDX(i, j, ldc)]));
        }
    printf("max. Fehler = %g\n", fehler);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(R);
    return fehler < 1e-9 ? 0 : 1;
}
