// Oblig 2: redusert matriseprodukt
// A: m x k, B: k x n, R: (m/2) x (n/2), m og n er partall.
// Forst legges rad- og kolonneparene sammen i delt minne, sa ganges summene,
// slik at hvert element av R koster k multiplikasjoner.
#include <cuda_runtime.h>
#include <cassert>

enum { FLIS = 16 };

__global__ void redusertProdukt(const float *A, const float *B, float *R,
                                int m, int n, int k)
{
    __shared__ float raaA[2 * FLIS][FLIS];
    __shared__ float raaB[FLIS][2 * FLIS];
    __shared__ float sumA[FLIS][FLIS];
    __shared__ float sumB[FLIS][FLIS];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int radA = blockIdx.y * 2 * FLIS + y;
    int kolB = blockIdx.x * 2 * FLIS + x;

    float resultat = 0.0f;
    int runder = (k + FLIS - 1) / FLIS;

    for (int runde = 0; runde < runder; runde++) {
        int p = runde * FLIS;

        raaA[y][x]        = (radA < m && p + x < k) ? A[radA * k + p + x] : 0.0f;
        raaA[y + FLIS][x] = (radA + FLIS < m && p + x < k) ? A[(radA + FLIS) * k + p + x] : 0.0f;
        raaB[y][x]        = (p + y < k && kolB < n) ? B[(p + y) * n + kolB] : 0.0f;
        raaB[y][x + FLIS] = (p + y < k && kolB + FLIS < n) ? B[(p + y) * n + kolB + FLIS] : 0.0f;
        __syncthreads();

        sumA[y][x] = raaA[2 * y][x] + raaA[2 * y + 1][x];
        sumB[y][x] = raaB[y][2 * x] + raaB[y][2 * x + 1];

        for (int i = 0; i < FLIS; i++)
            resultat += sumA[y][i] * sumB[i][x];
        __syncthreads();
    }

    int i = blockIdx.y * FLIS + y;
    int j = blockIdx.x * FLIS + x;
    if (i < m / 2 && j < n / 2)
        R[i * (n / 2) + j] = resultat;
}

// Alle pekere er til minne pa skjermkortet.
cudaError_t kjorRedusertProdukt(const float *A, const float *B, float *R,
                                int m, int n, int k)
{
    assert(m % 2 == 0 && n % 2 == 0);
    int hm = m / 2, hn = n / 2;
    if (hm == 0 || hn == 0)
        return cudaSuccess;
    dim3 blokk(FLIS, FLIS);
    dim3 rutenett((hn + FLIS - 1) / FLIS, (hm + FLIS - 1) / FLIS);
    redusertProdukt<<<rutenett, blokk>>>(A, B, R, m, n, k);
    return cudaGetLastError();
}
