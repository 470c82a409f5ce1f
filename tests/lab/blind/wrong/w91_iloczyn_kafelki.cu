// Mnożenie macierzy całkowitych, kafelki 16x16
// C[m][n] = A[m][k] * B[k][n], dowolne rozmiary
// wywołanie: bloki (16,16), siatka ((n+15)/16, (m+15)/16)

#define KAFEL 16

__global__ void mnozenie(int *C, int m, int n, int k, const int *A, const int *B)
{
    __shared__ int kafelA[KAFEL][KAFEL];
    __shared__ int kafelB[KAFEL][KAFEL];

    int wiersz = blockIdx.y * KAFEL + threadIdx.y;
    int kolumna = blockIdx.x * KAFEL + threadIdx.x;
    int wynik = 0;

    for (int poczatek = 0; poczatek < k; poczatek += KAFEL)
    {
        int ka = poczatek + threadIdx.x;
        int kb = poczatek + threadIdx.y;

        kafelA[threadIdx.y][threadIdx.x] = (wiersz < m && ka < k) ? A[wiersz * k + ka] : 0;
        kafelB[threadIdx.y][threadIdx.x] = (kolumna < n && kb < k) ? B[kb * n + kolumna] : 0;

        for (int i = 0; i < KAFEL; i++)
            wynik += kafelA[threadIdx.y][i] * kafelB[i][threadIdx.x];

        __syncthreads();
    }

    if (wiersz < m && kolumna < n)
        C[wiersz * n + kolumna] = wynik;
}
