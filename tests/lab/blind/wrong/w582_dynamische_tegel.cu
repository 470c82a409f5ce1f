// Practicum GPU, week 5
// Getegelde matrixvermenigvuldiging, de tegelgrootte is een parameter (8, 16 of 32)
// zodat we kunnen meten welke het snelst is. Alle afmetingen toegestaan.
#include <cuda_runtime.h>
#include <stdexcept>

__global__ void tegel_mm(const float *A, const float *B, float *C,
                         int m, int n, int k, int tegel)
{
    extern __shared__ float geheugen[];
    float *tegelA = geheugen;
    float *tegelB = geheugen + tegel * tegel;

    int r = threadIdx.y;
    int c = threadIdx.x;
    int rij = blockIdx.y * tegel + r;
    int kolom = blockIdx.x * tegel + c;

    float som = 0.0f;
    for (int start = 0; start < k; start += tegel) {
        tegelA[r * tegel + c] = (rij < m && start + c < k) ? A[rij * k + start + c] : 0.0f;
        tegelB[r * tegel + c] = (start + r < k && kolom < n) ? B[(start + r) * n + kolom] : 0.0f;
        __syncthreads();

        for (int q = 0; q < tegel; ++q)
            som += tegelA[r * tegel + q] * tegelB[q * tegel + c];
        __syncthreads();
    }

    if (rij < m && kolom < n)
        C[rij * n + kolom] = som;
}

// geeft de tijd in milliseconden terug
float voer_uit(const float *d_A, const float *d_B, float *d_C, int m, int n, int k, int tegel)
{
    if (tegel != 8 && tegel != 16 && tegel != 32)
        throw std::invalid_argument("tegel moet 8, 16 of 32 zijn");

    dim3 blok(tegel, tegel);
    dim3 rooster((n + tegel - 1) / tegel, (m + tegel - 1) / tegel);
    size_t gedeeld = 2 * tegel * tegel;      // twee tegels

    cudaEvent_t begin, einde;
    cudaEventCreate(&begin);
    cudaEventCreate(&einde);

    cudaEventRecord(begin);
    tegel_mm<<<rooster, blok, gedeeld>>>(d_A, d_B, d_C, m, n, k, tegel);
    cudaEventRecord(einde);
    cudaEventSynchronize(einde);

    float ms = 0.0f;
    cudaEventElapsedTime(&ms, begin, einde);
    cudaEventDestroy(begin);
    cudaEventDestroy(einde);
    return ms;
}
