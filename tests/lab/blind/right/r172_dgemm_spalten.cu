// Zusatzaufgabe: dgemm wie in BLAS, alles spaltenweise (column-major)
//      C = alpha * A * B + beta * C
// A: m x k (lda >= m), B: k x n (ldb >= k), C: m x n (ldc >= m)
// Block (NB, NB); threadIdx.x läuft entlang der Zeilen, weil die im Speicher
// nebeneinander liegen.  Gitter: (ceil(m/NB), ceil(n/NB)).

#define NB 16

__global__ void dgemm_nn(int m, int n, int k,
                         double alpha,
                         const double *A, int lda,
                         const double *B, int ldb,
                         double beta,
                         double *C, int ldc)
{
    __shared__ double As[NB][NB + 1];   // As[kk][i]
    __shared__ double Bs[NB][NB + 1];   // Bs[j][kk]

    const int ti = threadIdx.x;
    const int tj = threadIdx.y;
    const int i = blockIdx.x * NB + ti;
    const int j = blockIdx.y * NB + tj;

    double s = 0.0;
    for (int p = 0; p < k; p += NB) {
        As[tj][ti] = (i < m && p + tj < k) ? A[i + (size_t)(p + tj) * lda] : 0.0;
        Bs[tj][ti] = (p + ti < k && j < n) ? B[(p + ti) + (size_t)j * ldb] : 0.0;
        __syncthreads();

        #pragma unroll 4
        for (int kk = 0; kk < NB; ++kk)
            s += As[kk][ti] * Bs[tj][kk];

        __syncthreads();
    }

    if (i < m && j < n) {
        double *c = &C[i + (size_t)j * ldc];
        // bei beta == 0 darf C nicht gelesen werden (könnte NaN enthalten)
        *c = (beta == 0.0) ? alpha * s : alpha * s + beta * (*c);
    }
}
