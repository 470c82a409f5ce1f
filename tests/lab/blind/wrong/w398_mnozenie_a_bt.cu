// C = alfa * A * B^T
//   A: M x K, B: N x K (czyli B^T jest K x N), C: M x N, wszystko wierszami, bez przerw.
// Uruchomienie:  aRazyBT<<<dim3((N + 31) / 32, (M + 31) / 32), dim3(32, 32)>>>(...)
// Rozmiary dowolne; kafelek ma dopełnienie, by odczyt kolumny nie dawał konfliktów banków.

const int KAFEL = 32;

__global__ void aRazyBT(const float* A, const float* B, float* C,
                        int M, int N, int K, float alfa)
{
    __shared__ float kafA[KAFEL][KAFEL + 1];
    __shared__ float kafB[KAFEL][KAFEL + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int wiersz  = blockIdx.y * KAFEL + ty;
    const int kolumna = blockIdx.x * KAFEL + tx;
    const int wierszB = blockIdx.x * KAFEL + ty;    // wiersz B = kolumna C

    float wynik = 0.0f;

    for (int p = 0; p < K; p += KAFEL) {
        const int k = p + tx;

        kafA[ty][tx] = 0.0f;
        if (wiersz < M && k < K)
            kafA[ty][tx] = A[(size_t)wiersz * K + k];

        kafB[ty][tx] = 0.0f;
        if (wierszB < N && k < K)
            kafB[ty][tx] = B[(size_t)wierszB * N + k];

        __syncthreads();

        for (int q = 0; q < KAFEL; ++q)
            wynik += kafA[ty][q] * kafB[tx][q];

        __syncthreads();
    }

    if (wiersz < M && kolumna < N)
        C[(size_t)wiersz * N + kolumna] = alfa * wynik;
}
