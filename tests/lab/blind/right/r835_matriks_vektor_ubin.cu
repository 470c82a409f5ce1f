// Perkalian matriks dengan vektor: y = A x
// A berukuran m x n (disimpan per baris), setiap thread menghitung satu baris.
// Supaya pembacaan A tetap berurutan, blok memuat ubin 64 x 32 dari A ke shared
// memory, lalu tiap thread membaca barisnya sendiri dari sana.
// m dan n bebas, dari 1 sampai seratus juta.

#define BARIS 64
#define LEBAR 32

__global__ void matvek(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float ubin[BARIS][LEBAR + 1];
    __shared__ float xs[LEBAR];

    int t = threadIdx.x;
    int kolom = t % LEBAR;
    int baris0 = blockIdx.x * BARIS;
    float jumlah = 0.0f;

    for (int c0 = 0; c0 < n; c0 += LEBAR) {
        int c = c0 + kolom;

        /* 64 thread = dua baris ubin sekaligus */
        for (int r = t / LEBAR; r < BARIS; r += BARIS / LEBAR) {
            if (baris0 + r < m && c < n)
                ubin[r][kolom] = A[(size_t)(baris0 + r) * n + c];
            else
                ubin[r][kolom] = 0.0f;
        }
        if (t < LEBAR)
            xs[t] = c < n ? x[c] : 0.0f;
        __syncthreads();

        for (int q = 0; q < LEBAR; q++)
            jumlah += ubin[t][q] * xs[q];
        __syncthreads();
    }

    if (baris0 + t < m)
        y[baris0 + t] = jumlah;
}
