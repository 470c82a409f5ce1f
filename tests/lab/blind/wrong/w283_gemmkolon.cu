// Sütun öncelikli GEMM, C = alfa * A * B + beta * C
// A: m x k (lda), B: k x n (ldb), C: m x n (ldc)
#define BX 64
#define PARCA 4     // iş parçacığı başına sütun

#define ELEMAN(P, i, j, ld) (P)[(i) + (size_t)(j) * (ld)]

// blok: 64 iş parçacığı; her biri bir satır, PARCA sütun hesaplar
__global__ void __launch_bounds__(BX)
gemmKolon(int m, int n, int k, double alfa, const double *A, int lda,
          const double *B, int ldb, double beta, double *C, int ldc)
{
    __shared__ double bKaro[PARCA][BX];

    const int t = threadIdx.x;
    const int i = blockIdx.x * BX + t;
    const int j0 = blockIdx.y * PARCA;

    double top[PARCA];
    for (int u = 0; u < PARCA; u++) top[u] = 0.0;

    for (int p0 = 0; p0 < k; p0 += BX) {
        for (int u = 0; u < PARCA; u++)
            bKaro[u][t] = (p0 + t < k && j0 + u < n) ? ELEMAN(B, p0 + t, j0 + u, ldb) : 0.0;
        __syncthreads();

        int son = min(BX, k - p0);
        if (i < m)
            for (int p = 0; p < son; p++) {
                double a = ELEMAN(A, i, p0 + p, lda);
                for (int u = 0; u < PARCA; u++) top[u] += a * bKaro[u][p];
            }
        __syncthreads();
    }

    if (i < m)
        for (int u = 0; u < PARCA && j0 + u < n; u++)
            ELEMAN(C, i, j0 + u, ldc) = alfa * (top[u] + beta * ELEMAN(C, i, j0 + u, ldc));
}
