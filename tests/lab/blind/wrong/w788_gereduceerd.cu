// Gereduceerd matrixproduct (opgave 5)
//   C[i][j] = som over k van (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// Afmetingen: A is (2*rijen) x diepte, B is diepte x (2*kolommen), C is rijen x kolommen.
// De drie afmetingen mogen alle waarden van 1 tot 10000 hebben.
#include <cuda_runtime.h>

template <int BX, int BY, int DK>
__global__ void gereduceerd(const float* A, const float* B, float* C,
                            int rijen, int kolommen, int diepte)
{
    extern __shared__ float geheugen[];
    float* sa = geheugen;              // BY x DK
    float* sb = geheugen + BY * DK;    // DK x BX

    const int draad = threadIdx.y * BX + threadIdx.x;
    const int rij0 = blockIdx.y * BY;
    const int kol0 = blockIdx.x * BX;
    float som = 0.0f;

    for (int k0 = 0; k0 < diepte; k0 += DK)
    {
        for (int e = draad; e < BY * DK; e += BX * BY)
        {
            const int r = rij0 + e / DK;
            const int k = k0 + e % DK;
            if (k < diepte)
                sa[e] = r < rijen ? A[(2 * r) * diepte + k] + A[(2 * r + 1) * diepte + k] : 0.0f;
        }
        for (int e = draad; e < DK * BX; e += BX * BY)
        {
            const int k = k0 + e / BX;
            const int c = kol0 + e % BX;
            if (k < diepte)
                sb[e] = c < kolommen ? B[k * 2 * kolommen + 2 * c] + B[k * 2 * kolommen + 2 * c + 1] : 0.0f;
        }
        __syncthreads();

        const int stappen = DK;
        for (int q = 0; q < stappen; ++q)
            som += sa[threadIdx.y * DK + q] * sb[q * BX + threadIdx.x];
        __syncthreads();
    }

    const int rij = rij0 + threadIdx.y;
    const int kol = kol0 + threadIdx.x;
    if (rij < rijen && kol < kolommen)
        C[rij * kolommen + kol] = som;
}

void start(const float* A, const float* B, float* C, int rijen, int kolommen, int diepte)
{
    constexpr int BX = 32, BY = 8, DK = 24;
    dim3 blok(BX, BY);
    dim3 rooster((kolommen + BX - 1) / BX, (rijen + BY - 1) / BY);
    gereduceerd<BX, BY, DK><<<rooster, blok, (BY * DK + DK * BX) * sizeof(float)>>>(
        A, B, C, rijen, kolommen, diepte);
}
