// mnozenie macierzy, kafelki; kazdy watek liczy ILE sasiednich blokowo kolumn
// A: m x k, B: k x n, dowolne rozmiary
#define KAF 16
#define ILE 2

__global__ void mnozenie(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float kafA[KAF][KAF];
    __shared__ float kafB[KAF][KAF * ILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int wiersz = blockIdx.y * KAF + ty;
    int kol = blockIdx.x * KAF * ILE + tx;

    float wynik[ILE] = {0};
    const int kroki = (k - 1) / KAF;

    for (int s = 0; s < kroki; s++) {
        int ka = s * KAF + tx;
        int kb = s * KAF + ty;
        kafA[ty][tx] = (wiersz < m && ka < k) ? A[wiersz * k + ka] : 0.0f;
        for (int z = 0; z < ILE; z++) {
            int kk = kol + z * KAF;
            kafB[ty][tx + z * KAF] = (kb < k && kk < n) ? B[kb * n + kk] : 0.0f;
        }
        __syncthreads();

        for (int i = 0; i < KAF; i++)
            for (int z = 0; z < ILE; z++)
                wynik[z] += kafA[ty][i] * kafB[i][tx + z * KAF];
        __syncthreads();
    }

    for (int z = 0; z < ILE; z++)
        if (wiersz < m && kol + z * KAF < n)
            C[wiersz * n + kol + z * KAF] = wynik[z];
}

void uruchom(const float *A, const float *B, float *C, int m, int k, int n)
{
    dim3 watki(KAF, KAF);
    dim3 bloki((n + KAF * ILE - 1) / (KAF * ILE), (m + KAF - 1) / KAF);
    mnozenie<<<bloki, watki>>>(A, B, C, m, k, n);
}
