// Matrixprodukt mit Doppelpuffer: während Kachel t gerechnet wird, wird t+1 geladen.
// 1D-Block mit 256 Threads berechnet eine 32x32-Kachel von C (4 Zeilen pro Thread).
#include <cuda_runtime.h>

#define KACHEL   32
#define NTHREADS 256
#define SCHRITT  (NTHREADS / KACHEL)   /* 8 Zeilen auf einmal */

struct Kacheln {
    float a[2][KACHEL][KACHEL];
    float b[2][KACHEL][KACHEL];
};

__device__ void ladeKachel(Kacheln &s, int puffer, int k0, const float *A, const float *B,
                           int M, int N, int K, int zeile0, int spalte0)
{
    const int x = threadIdx.x % KACHEL;
    for (int y = threadIdx.x / KACHEL; y < KACHEL; y += SCHRITT) {
        int zA = zeile0 + y, sA = k0 + x;
        int zB = k0 + y,     sB = spalte0 + x;
        s.a[puffer][y][x] = (zA < M && sA < K) ? A[(size_t)zA * K + sA] : 0.0f;
        s.b[puffer][y][x] = (zB < K && sB < N) ? B[(size_t)zB * N + sB] : 0.0f;
    }
}

__global__ void matmulDoppelpuffer(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ Kacheln s;
    const int x = threadIdx.x % KACHEL;
    const int y = threadIdx.x / KACHEL;
    const int zeile0 = blockIdx.y * KACHEL;
    const int spalte0 = blockIdx.x * KACHEL;
    const int anzahl = (K + KACHEL - 1) / KACHEL;

    float summe[KACHEL / SCHRITT] = {0.0f};

    ladeKachel(s, 0, 0, A, B, M, N, K, zeile0, spalte0);
    __syncthreads();

    for (int t = 0; t < anzahl; t++) {
        int akt = t & 1;
        if (t + 1 < anzahl)     // für den ganzen Block gleich
            ladeKachel(s, akt ^ 1, (t + 1) * KACHEL, A, B, M, N, K, zeile0, spalte0);

        for (int q = 0; q < KACHEL; q++) {
            float b = s.b[akt][q][x];
            for (int i = 0; i < KACHEL / SCHRITT; i++)
                summe[i] += s.a[akt][y + i * SCHRITT][q] * b;
        }
        __syncthreads();        // eine Barriere pro Kachel genügt
    }

    for (int i = 0; i < KACHEL / SCHRITT; i++) {
        int z = zeile0 + y + i * SCHRITT;
        if (z < M && spalte0 + x < N)
            C[(size_t)z * N + spalte0 + x] = summe[i];
    }
}

// Zeiger auf dem Gerät, zeilenweise gespeichert
cudaError_t matmul(const float *dA, const float *dB, float *dC, int M, int N, int K)
{
    if (M < 1 || N < 1 || K < 1)
        return cudaErrorInvalidValue;
    dim3 grid((N + KACHEL - 1) / KACHEL, (M + KACHEL - 1) / KACHEL);
    matmulDoppelpuffer<<<grid, NTHREADS>>>(dA, dB, dC, M, N, K);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess)
        return err;
    return cudaDeviceSynchronize();
}
