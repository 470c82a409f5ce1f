// Zadanie 6: C = alfa * A * B + beta * C, macierze zapisane kolumnami (jak w BLAS)
//   A: m x k, lda >= m    B: k x n, ldb >= k    C: m x n, ldc >= m
// Kafelek 32 (wiersze) x 8 (kolumny), glebokosc 8.

static const int KW = 32;   // wiersze kafelka
static const int KK = 8;    // kolumny kafelka i glebokosc

__global__ void gemmKolumny(int m, int n, int k, double alfa,
                            const double *A, int lda,
                            const double *B, int ldb,
                            double beta, double *C, int ldc)
{
    __shared__ double sa[KK][KW];   // sa[p][i]
    __shared__ double sb[KK][KK];   // sb[j][p]

    int i = blockIdx.x * KW + threadIdx.x;
    int j = blockIdx.y * KK + threadIdx.y;

    double wynik = 0.0;

    for (int p0 = 0; p0 < k; p0 += KK) {
        int p = p0 + threadIdx.y;
        if (i < m && p < k)
            sa[threadIdx.y][threadIdx.x] = A[i + p * lda];
        else
            sa[threadIdx.y][threadIdx.x] = 0.0;

        // pierwsze osiem watkow kazdego wiersza wczytuje B
        if (threadIdx.x < KK) {
            int q = p0 + threadIdx.x;
            sb[threadIdx.y][threadIdx.x] = (q < k && j < n) ? B[q + j * ldb] : 0.0;
        }
        __syncthreads();

        for (int t = 0; t < KK; t++)
            wynik += sa[t][threadIdx.x] * sb[threadIdx.y][t];
        __syncthreads();
    }

    if (i < m && j < n) {
        double *cel = &C[i + j * ldc];
        if (beta == 0.0)
            *cel = alfa * wynik;
        else
            *cel = alfa * wynik + beta * *cel;
    }
}

// wszystkie wskazniki sa na karcie
void gemm(int m, int n, int k, double alfa, const double *A, int lda,
          const double *B, int ldb, double beta, double *C, int ldc)
{
    dim3 blok(KW, KK);
    dim3 siatka((m + KW - 1) / KW, (n + KK - 1) / KK);
    gemmKolumny<<<siatka, blok>>>(m, n, k, alfa, A, lda, B, ldb, beta, C, ldc);
}
