// Mnozenie macierzy kafelkami, dowolne rozmiary
// blok (KAFEL, KAFEL), siatka (ceil(n/KAFEL), ceil(m/KAFEL))
#define KAFEL 32

__global__ void mnoz(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float fragA[KAFEL][KAFEL];
    __shared__ float fragB[KAFEL][KAFEL + 1];

    const int w = blockIdx.y * KAFEL + threadIdx.y;
    const int kol = blockIdx.x * KAFEL + threadIdx.x;
    const int liczbaKafelkow = k / KAFEL;

    float wynik = 0.0f;
    for (int t = 0; t < liczbaKafelkow; t++) {
        const int ax = t * KAFEL + threadIdx.x;
        const int by = t * KAFEL + threadIdx.y;

        fragA[threadIdx.y][threadIdx.x] = 0.0f;
        fragB[threadIdx.y][threadIdx.x] = 0.0f;
        if (w < m && ax < k)
            fragA[threadIdx.y][threadIdx.x] = A[w * k + ax];
        if (by < k && kol < n)
            fragB[threadIdx.y][threadIdx.x] = B[by * n + kol];
        __syncthreads();

#pragma unroll
        for (int i = 0; i < KAFEL; i++)
            wynik += fragA[threadIdx.y][i] * fragB[i][threadIdx.x];
        __syncthreads();
    }

    if (w < m && kol < n)
        C[w * n + kol] = wynik;
}
