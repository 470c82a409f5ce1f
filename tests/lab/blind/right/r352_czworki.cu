// Mnozenie zredukowane: D[i][j] = suma kwadratu 2x2 macierzy A*B
// o lewym gornym rogu (2i, 2j).
// A: M x K, B: K x N, zapis wierszami, double.
// D ma (M+1)/2 wierszy i (N+1)/2 kolumn; przy nieparzystym M lub N
// kwadraty na brzegu sa po prostu mniejsze.

#define KAFEL 16

__device__ __forceinline__ double wez(const double *p, int w, int k, int wiersze, int kolumny)
{
    return (w < wiersze && k < kolumny) ? p[(size_t)w * kolumny + k] : 0.0;
}

__global__ void mnozenie_zredukowane(const double *A, const double *B, double *D,
                                     int M, int K, int N)
{
    __shared__ double kA[2 * KAFEL][KAFEL];
    __shared__ double kB[KAFEL][2 * KAFEL];

    const int x = threadIdx.x, y = threadIdx.y;
    const int w0 = blockIdx.y * 2 * KAFEL;     // pierwszy wiersz A*B w bloku
    const int k0 = blockIdx.x * 2 * KAFEL;     // pierwsza kolumna A*B w bloku

    double s00 = 0, s01 = 0, s10 = 0, s11 = 0;

    for (int p = 0; p < K; p += KAFEL) {
        kA[y][x]         = wez(A, w0 + y,         p + x, M, K);
        kA[y + KAFEL][x] = wez(A, w0 + y + KAFEL, p + x, M, K);
        kB[y][x]         = wez(B, p + y, k0 + x,         K, N);
        kB[y][x + KAFEL] = wez(B, p + y, k0 + x + KAFEL, K, N);
        __syncthreads();

        for (int i = 0; i < KAFEL; i++) {
            const double a0 = kA[2 * y][i], a1 = kA[2 * y + 1][i];
            const double b0 = kB[i][2 * x], b1 = kB[i][2 * x + 1];
            s00 += a0 * b0;
            s01 += a0 * b1;
            s10 += a1 * b0;
            s11 += a1 * b1;
        }
        __syncthreads();
    }

    const int wiersz  = blockIdx.y * KAFEL + y;
    const int kolumna = blockIdx.x * KAFEL + x;
    const int wD = (M + 1) / 2, kD = (N + 1) / 2;
    if (wiersz < wD && kolumna < kD)
        D[(size_t)wiersz * kD + kolumna] = (s00 + s01) + (s10 + s11);
}

/* Uruchomienie:
 *   int wD = (M + 1) / 2, kD = (N + 1) / 2;
 *   dim3 blok(KAFEL, KAFEL);
 *   dim3 siatka((kD + KAFEL - 1) / KAFEL, (wD + KAFEL - 1) / KAFEL);
 *   mnozenie_zredukowane<<<siatka, blok>>>(dA, dB, dD, M, K, N);
 */
