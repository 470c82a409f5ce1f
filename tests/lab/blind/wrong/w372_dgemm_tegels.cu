// Opdracht 7: DGEMM met tegels in dynamisch gedeeld geheugen
//   C := alfa * A * B + bet * C
// Rijgewijze opslag met leidende dimensies: A is m x k (lda >= k),
// B is k x n (ldb >= n), C is m x n (ldc >= n). m, n, k >= 1, m <= 524280.
// De tegelgrootte is blockDim.x (= blockDim.y): 8, 16 of 32.
#include <cuda_runtime.h>

__global__ void dgemmTegels(int m, int n, int k, double alfa,
                            const double* A, int lda,
                            const double* B, int ldb,
                            double bet, double* C, int ldc)
{
    extern __shared__ double geheugen[];
    const int T = blockDim.x;
    double* tegelA = geheugen;            // T x T
    double* tegelB = geheugen + T * T;    // T x T

    const int kx = threadIdx.x;
    const int ry = threadIdx.y;
    const int rij   = blockIdx.y * T + ry;
    const int kolom = blockIdx.x * T + kx;

    double som = 0.0;
    for (int start = 0; start < k; start += T) {
        const int ka = start + kx;
        const int kb = start + ry;
        tegelA[ry * T + kx] = (rij < m && ka < k) ? A[(size_t)rij * lda + ka] : 0.0;
        tegelB[ry * T + kx] = (kb < k && kolom < n) ? B[(size_t)kb * ldb + kolom] : 0.0;
        __syncthreads();

        for (int p = 0; p < T; ++p)
            som += tegelA[ry * T + p] * tegelB[p * T + kx];
        __syncthreads();
    }

    if (rij < m && kolom < n) {
        double oud = 0.0;
        if (bet != 0.0)
            oud = bet * C[(size_t)rij * ldb + kolom];
        C[(size_t)rij * ldc + kolom] = alfa * som + oud;
    }
}

// Pointers naar apparaatgeheugen; tegel is 8, 16 of 32.
cudaError_t dgemm(int m, int n, int k, double alfa, const double* dA, int lda,
                  const double* dB, int ldb, double bet, double* dC, int ldc,
                  int tegel)
{
    if (m < 1 || n < 1 || k < 1 || m > 524280 || lda < k || ldb < n || ldc < n)
        return cudaErrorInvalidValue;
    if (tegel != 8 && tegel != 16 && tegel != 32)
        return cudaErrorInvalidValue;

    dim3 blok(tegel, tegel);
    dim3 rooster((n + tegel - 1) / tegel, (m + tegel - 1) / tegel);
    size_t bytes = 2 * (size_t)tegel * tegel * sizeof(double);
    dgemmTegels<<<rooster, blok, bytes>>>(m, n, k, alfa, dA, lda, dB, ldb, bet, dC, ldc);
    return cudaGetLastError();
}
