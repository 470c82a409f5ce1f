#include <cuda_runtime.h>

// Gereduceerd product: uit[i][j] = som_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A is rijen x binnen, B is binnen x kolommen; rijen en kolommen zijn even.

template <typename getal, int TEGEL>
__global__ void gereduceerdProduct(const getal *A, const getal *B, getal *uit,
                                   int rijen, int binnen, int kolommen)
{
    __shared__ getal somA[TEGEL][TEGEL];
    __shared__ getal somB[TEGEL][TEGEL];

    const int hoogte  = rijen / 2;
    const int breedte = kolommen / 2;
    const int i = blockIdx.y * TEGEL + threadIdx.y;
    const int j = blockIdx.x * TEGEL + threadIdx.x;

    getal totaal = getal(0);
    for (int start = 0; start < binnen; start += TEGEL) {
        const int kA = start + threadIdx.x;
        const int kB = start + threadIdx.y;

        getal x = getal(0), y = getal(0);
        if (i < hoogte && kA < binnen)
            x = A[(2 * i) * binnen + kA] + A[(2 * i + 1) * binnen + kA];
        if (j < breedte && kB < binnen)
            y = B[kB * kolommen + 2 * j] + B[kB * kolommen + 2 * j + 1];
        somA[threadIdx.y][threadIdx.x] = x;
        somB[threadIdx.y][threadIdx.x] = y;
        __syncthreads();

        for (int k = 0; k < TEGEL; ++k)
            totaal += somA[threadIdx.y][k] * somB[k][threadIdx.x];
        __syncthreads();
    }

    if (i < hoogte && j < breedte)
        uit[i * breedte + j] = totaal;
}

void bereken(const double *A, const double *B, double *uit, int rijen, int binnen, int kolommen)
{
    constexpr int T = 16;
    dim3 blok(T, T);
    dim3 rooster((kolommen / 2 + T - 1) / T, (rijen / 2 + T - 1) / T);
    gereduceerdProduct<double, T><<<rooster, blok>>>(A, B, uit, rijen, binnen, kolommen);
}
