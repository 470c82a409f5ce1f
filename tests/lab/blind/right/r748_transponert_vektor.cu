// y = A^T x, der A er m x n (radvis), x har m elementer og y har n.
// Hver blokk tar 32 kolonner og en del av radene; delene legges
// sammen i y med atomicAdd, saa y nullstilles forst i hvert kall.
#include <cuda_runtime.h>

enum { BREDDE = 32, HOYDE = 8 };

__global__ void at_ganger_x(const float *A, const float *x, float *y, int m, int n)
{
    __shared__ float delsum[HOYDE][BREDDE + 1];

    int kol = blockIdx.x * BREDDE + threadIdx.x;
    float s = 0.0f;

    if (kol < n) {
        int hopp = gridDim.y * HOYDE;
        // nabotraader leser nabokolonner i samme rad
        for (int rad = blockIdx.y * HOYDE + threadIdx.y; rad < m; rad += hopp)
            s += A[(size_t)rad * n + kol] * x[rad];
    }
    delsum[threadIdx.y][threadIdx.x] = s;
    __syncthreads();

    if (threadIdx.y == 0 && kol < n) {
        float t = 0.0f;
        for (int r = 0; r < HOYDE; r++)
            t += delsum[r][threadIdx.x];
        atomicAdd(y + kol, t);
    }
}

// Alle pekere er paa skjermkortet. Kallet venter ikke paa at kjernen er ferdig,
// men alt legges i samme strom og skjer i rekkefolge.
cudaError_t transponert_matvek(const float *A, const float *x, float *y,
                               int m, int n, cudaStream_t strom)
{
    if (n <= 0)
        return cudaSuccess;

    cudaError_t feil = cudaMemsetAsync(y, 0, n * sizeof(float), strom);
    if (feil != cudaSuccess || m <= 0)
        return feil;

    int deler = (m + HOYDE * 32 - 1) / (HOYDE * 32);   // omtrent 32 rader per traad
    if (deler > 64)
        deler = 64;

    dim3 blokk(BREDDE, HOYDE);
    dim3 rutenett((n + BREDDE - 1) / BREDDE, deler);
    at_ganger_x<<<rutenett, blokk, 0, strom>>>(A, x, y, m, n);
    return cudaGetLastError();
}
