/* Iloczyn macierzy z podwójnym buforem i pobieraniem z wyprzedzeniem przez rejestry.
 *
 *   C = A * B,  A: wys x gl, B: gl x szer, C: wys x szer (wierszami)
 *   rozmiary są dodatnimi wielokrotnościami P
 *
 *   dim3 blok(P, P), siatka(szer / P, wys / P);
 *   iloczyn<<<siatka, blok>>>(A, B, C, szer, gl);
 */
#define P 16

__global__ void iloczyn(const double *A, const double *B, double *C, int szer, int gl)
{
    __shared__ double bufA[2][P][P];
    __shared__ double bufB[2][P][P];

    const int x = threadIdx.x, y = threadIdx.y;
    const int wiersz  = blockIdx.y * P + y;
    const int kolumna = blockIdx.x * P + x;

    bufA[0][y][x] = A[wiersz * gl + x];
    bufB[0][y][x] = B[y * szer + kolumna];
    __syncthreads();

    double wynik = 0.0;
    int b = 0;
    for (int k0 = 0; k0 < gl; k0 += P) {
        const int  nast  = k0 + P;
        const bool jest  = nast < gl;
        double ra = 0.0, rb = 0.0;

        /* następny kafelek do rejestrów, zanim zaczniemy liczyć */
        if (jest) {
            ra = A[wiersz * gl + nast + x];
            rb = B[(nast + y) * szer + kolumna];
        }

        for (int k = 0; k < P; k++)
            wynik += bufA[b][y][k] * bufB[b][k][x];

        b = 1 - b;
        if (jest) {
            bufA[b][y][x] = ra;
            bufB[b][y][x] = rb;
        }
    }

    C[wiersz * szer + kolumna] = wynik;
}
