// Spaltenweise gespeicherte Matrizen (Fortran-Stil): X(i,j) = X[i + j*ldx]
// C (M x N) = A (M x K) * B (K x N)
// Start:
//   dim3 block(8, 8);
//   dim3 grid((M + 7) / 8, (N + 7) / 8);
//   gemmSpalten<<<grid, block>>>(M, N, K, A, lda, B, ldb, C, ldc);   // lda, ldc >= M, ldb >= K

#define KACHEL 8

__global__ void gemmSpalten(int M, int N, int K,
                            const double *A, int lda,
                            const double *B, int ldb,
                            double *C, int ldc)
{
    __shared__ double a[KACHEL][KACHEL];   // a[k][i]
    __shared__ double b[KACHEL][KACHEL];   // b[j][k]

    const int i = blockIdx.x * KACHEL + threadIdx.x;
    const int j = blockIdx.y * KACHEL + threadIdx.y;
    double summe = 0.0;

    for (int k0 = 0; k0 < K; k0 += KACHEL) {
        const int ka = k0 + threadIdx.y;
        const int kb = k0 + threadIdx.x;
        a[threadIdx.y][threadIdx.x] = (i < M && ka < K) ? A[i + ka * lda] : 0.0;
        b[threadIdx.y][threadIdx.x] = (kb < K && j < N) ? B[kb + j * ldb] : 0.0;
        __syncthreads();

        for (int k = 0; k < KACHEL; ++k)
            summe += a[k][threadIdx.x] * b[threadIdx.y][k];
        __syncthreads();
    }

    if (i < M && j < N)
        C[i + j * N] = summe;
}
