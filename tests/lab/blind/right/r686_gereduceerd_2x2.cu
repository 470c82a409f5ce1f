// Gereduceerd produkt, elke thread rekent een blokje van 2x2 elementen van C uit.
//
//   C[i][j] = som over l van (A[2i][l]+A[2i+1][l]) * (B[l][2j]+B[l][2j+1])
//
// A heeft 2*m rijen en k kolommen (rij-afstand lda), B heeft k rijen en 2*n
// kolommen (rij-afstand ldb), C is m bij n (rij-afstand ldc). Alles per rij.
// lda >= k, ldb >= 2n, ldc >= n. De afmetingen m, n, k zijn vrij;
// de getallen in A en B zijn kleiner dan een miljoen in absolute waarde.
//
// Aanroep: block (8,8), grid ((n+15)/16, (m+15)/16)

#define DRAAD 8
#define TEGEL 16      /* = 2*DRAAD elementen van C per richting */
#define DIEP  8

__global__ void reduceer2x2(int m, int n, int k,
                            const int *A, int lda,
                            const int *B, int ldb,
                            long long *C, int ldc)
{
    __shared__ int ra[TEGEL][DIEP + 1];
    __shared__ int rb[DIEP][TEGEL + 1];

    const int x = threadIdx.x, y = threadIdx.y;
    const int nr = y * DRAAD + x;          // 0..63
    const int i0 = blockIdx.y * TEGEL;
    const int j0 = blockIdx.x * TEGEL;

    long long c00 = 0, c01 = 0, c10 = 0, c11 = 0;

    for (int l0 = 0; l0 < k; l0 += DIEP) {
        // de paren worden bij het laden al opgeteld: 128 waarden per tegel, 64 threads
        for (int p = nr; p < TEGEL * DIEP; p += DRAAD * DRAAD) {
            int i = p / DIEP, l = p % DIEP;
            int v = 0;
            if (i0 + i < m && l0 + l < k) {
                const int *bron = A + (size_t)2 * (i0 + i) * lda + (l0 + l);
                v = bron[0] + bron[lda];
            }
            ra[i][l] = v;
        }
        for (int p = nr; p < DIEP * TEGEL; p += DRAAD * DRAAD) {
            int l = p / TEGEL, j = p % TEGEL;
            int v = 0;
            if (l0 + l < k && j0 + j < n) {
                const int *bron = B + (size_t)(l0 + l) * ldb + 2 * (j0 + j);
                v = bron[0] + bron[1];
            }
            rb[l][j] = v;
        }
        __syncthreads();

        for (int l = 0; l < DIEP; ++l) {
            long long a0 = ra[y][l], a1 = ra[y + DRAAD][l];
            long long b0 = rb[l][x], b1 = rb[l][x + DRAAD];
            c00 += a0 * b0;  c01 += a0 * b1;
            c10 += a1 * b0;  c11 += a1 * b1;
        }
        __syncthreads();
    }

    const int i = i0 + y, j = j0 + x;
    if (i < m && j < n)                 C[(size_t)i * ldc + j] = c00;
    if (i < m && j + DRAAD < n)         C[(size_t)i * ldc + j + DRAAD] = c01;
    if (i + DRAAD < m && j < n)         C[(size_t)(i + DRAAD) * ldc + j] = c10;
    if (i + DRAAD < m && j + DRAAD < n) C[(size_t)(i + DRAAD) * ldc + j + DRAAD] = c11;
}
