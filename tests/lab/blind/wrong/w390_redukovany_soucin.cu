// Redukovany soucin matic: soucin A (m x k) a B (k x n) se secte po ctvercich
// 2 x 2, vysledek ma (m / 2) x (n / 2) prvku. m a n jsou suda, k libovolne.
// Vse po radcich, cela cisla.
//
// Blok 16 x 16 vlaken drzi dlazdice 32 x 16 a 16 x 32; vlakno odpovida jednomu
// ctverci vysledku.
#include <cuda_runtime.h>

constexpr int D = 16;

__global__ void redukovanySoucin(const int *A, const int *B, int *vysledek,
                                 int m, int k, int n)
{
    __shared__ int dA[2 * D][D];
    __shared__ int dB[D][2 * D];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int radek0 = blockIdx.y * 2 * D;
    const int sloupec0 = blockIdx.x * 2 * D;
    int soucet = 0;

    for (int k0 = 0; k0 + D <= k; k0 += D) {
        for (int h = 0; h < 2; ++h) {
            const int r = ty + h * D;
            dA[r][tx] = 0;
            if (radek0 + r < m && k0 + tx < k)
                dA[r][tx] = A[(radek0 + r) * k + k0 + tx];

            const int s = tx + h * D;
            dB[ty][s] = 0;
            if (sloupec0 + s < n && k0 + ty < k)
                dB[ty][s] = B[(k0 + ty) * n + sloupec0 + s];
        }
        __syncthreads();

        for (int t = 0; t < D; ++t) {
            const int a = dA[2 * ty][t] + dA[2 * ty + 1][t];
            const int b = dB[t][2 * tx] + dB[t][2 * tx + 1];
            soucet += a * b;
        }
        __syncthreads();
    }

    const int i = radek0 / 2 + ty;
    const int j = sloupec0 / 2 + tx;
    if (i < m / 2 && j < n / 2)
        vysledek[i * (n / 2) + j] = soucet;
}

// Ukazatele do pameti zarizeni; m <= 65535 * 32.
cudaError_t spustRedukovanySoucin(const int *A, const int *B, int *vysledek,
                                  int m, int k, int n)
{
    if (m <= 0 || n <= 0 || k <= 0 || m % 2 || n % 2)
        return cudaErrorInvalidValue;
    const dim3 blok(D, D);
    const dim3 mrizka((n + 2 * D - 1) / (2 * D), (m + 2 * D - 1) / (2 * D));
    redukovanySoucin<<<mrizka, blok>>>(A, B, vysledek, m, k, n);
    return cudaGetLastError();
}
