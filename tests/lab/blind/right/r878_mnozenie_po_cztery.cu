/* Zadanie 5. Mnożenie macierzy bez pamięci dzielonej.
 * Każdy wątek liczy do czterech elementów jednego wiersza wyniku, oddalonych o blockDim.x.
 * Macierze wierszami: A[m][l], B[l][n], C[m][n].
 *
 * Wywołanie: blok (W, H) dowolny,
 *            siatka ( ceil(n / (4*W)), ceil(m / H) )
 */
#define NA_WATEK 4
#define DLA_KAZDEGO(q) for (int q = 0; q < NA_WATEK; ++q)

__global__ void mnoz(const float *A, const float *B, float *C, int m, int l, int n)
{
    const int wiersz = blockIdx.y * blockDim.y + threadIdx.y;
    const int kol    = blockIdx.x * blockDim.x * NA_WATEK + threadIdx.x;
    if (wiersz >= m || kol >= n)
        return;

    A += (size_t)wiersz * l;
    C += (size_t)wiersz * n;

    /* kolumny poza macierzą zastępujemy pierwszą, a potem po prostu ich nie zapisujemy */
    int k[NA_WATEK];
    DLA_KAZDEGO(q) {
        k[q] = kol + q * (int)blockDim.x;
        if (k[q] >= n) k[q] = kol;
    }

    float s[NA_WATEK] = {0.f, 0.f, 0.f, 0.f};
    const float *koniec = A + l;
    while (A != koniec) {
        const float a = *A++;
        DLA_KAZDEGO(q) s[q] += a * B[k[q]];
        B += n;
    }

    DLA_KAZDEGO(q)
        if (kol + q * (int)blockDim.x < n)
            C[kol + q * (int)blockDim.x] = s[q];
}
