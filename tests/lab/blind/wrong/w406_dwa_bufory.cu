// Laboratorium 5: mnożenie macierzy kwadratowych n x n z podwójnym buforowaniem.
// Podczas liczenia na kaflach "biezacy" ładujemy kafle "nastepny",
// dzięki czemu wystarcza jedna bariera na krok.
//
// Wywołanie:  dim3 w(KAFEL, KAFEL), b((n + KAFEL - 1) / KAFEL, (n + KAFEL - 1) / KAFEL);
//             iloczyn<<<b, w>>>(dA, dB, dC, n);

#define KAFEL 16

__global__ void iloczyn(const float *A, const float *B, float *C, int n)
{
    __shared__ float sA[2][KAFEL][KAFEL];
    __shared__ float sB[2][KAFEL][KAFEL];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int wiersz = blockIdx.y * KAFEL + ty;
    const int kolumna = blockIdx.x * KAFEL + tx;
    const int kroki = (n + KAFEL - 1) / KAFEL;

    sA[0][ty][tx] = (wiersz < n && tx < n) ? A[(size_t)wiersz * n + tx] : 0.0f;
    sB[0][ty][tx] = (ty < n && kolumna < n) ? B[(size_t)ty * n + kolumna] : 0.0f;
    __syncthreads();

    float suma = 0.0f;
    int biezacy = 0;

    for (int k = 0; k < kroki; ++k) {
        const int nastepny = 1 - biezacy;

        if (k + 1 < kroki) {
            const int ka = (k + 1) * KAFEL + tx;
            const int kb = (k + 1) * KAFEL + ty;
            sA[nastepny][ty][tx] = (wiersz < n && ka < n) ? A[(size_t)wiersz * n + ka] : 0.0f;
            sB[biezacy][ty][tx] = (kb < n && kolumna < n) ? B[(size_t)kb * n + kolumna] : 0.0f;
        }

        for (int i = 0; i < KAFEL; ++i)
            suma += sA[biezacy][ty][i] * sB[biezacy][i][tx];

        __syncthreads();
        biezacy = nastepny;
    }

    if (wiersz < n && kolumna < n)
        C[(size_t)wiersz * n + kolumna] = suma;
}
