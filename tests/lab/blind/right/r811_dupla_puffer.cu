// Mátrixszorzás dupla pufferrel: amíg az egyik csempén számolunk,
// a következőt már töltjük a másik pufferbe.
//   C (m x n) = A (m x k) * B (k x n), sorfolytonos, méretek legfeljebb 32000
#include <cuda_runtime.h>

#define CS 32           // csempe oldala
#define SOROK 16        // blockDim.y, egy szál két sort számol

typedef float Csempe[CS][CS];

__device__ void toltes(Csempe &a, Csempe &b, const float *A, const float *B,
                       int m, int n, int k, int sor0, int oszlop0, int k0)
{
    for (int r = threadIdx.y; r < CS; r += SOROK) {
        int x = threadIdx.x;
        bool ja = sor0 + r < m && k0 + x < k;
        bool jb = k0 + r < k && oszlop0 + x < n;
        a[r][x] = ja ? A[(size_t)(sor0 + r) * k + (k0 + x)] : 0.0f;
        b[r][x] = jb ? B[(size_t)(k0 + r) * n + (oszlop0 + x)] : 0.0f;
    }
}

__global__ void szorzas(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ Csempe a[2], b[2];

    int sor0 = blockIdx.y * CS;
    int oszlop0 = blockIdx.x * CS;
    int x = threadIdx.x, y = threadIdx.y;
    float c0 = 0.0f, c1 = 0.0f;

    int akt = 0;
    toltes(a[0], b[0], A, B, m, n, k, sor0, oszlop0, 0);
    __syncthreads();

    for (int k0 = 0; k0 < k; k0 += CS) {
        if (k0 + CS < k)
            toltes(a[1 - akt], b[1 - akt], A, B, m, n, k, sor0, oszlop0, k0 + CS);

        for (int l = 0; l < CS; l++) {
            float v = b[akt][l][x];
            c0 += a[akt][y][l] * v;
            c1 += a[akt][y + SOROK][l] * v;
        }
        akt = 1 - akt;
        __syncthreads();
    }

    int oszlop = oszlop0 + x;
    if (oszlop < n) {
        if (sor0 + y < m)
            C[(size_t)(sor0 + y) * n + oszlop] = c0;
        if (sor0 + y + SOROK < m)
            C[(size_t)(sor0 + y + SOROK) * n + oszlop] = c1;
    }
}

void inditas(const float *dA, const float *dB, float *dC, int m, int n, int k)
{
    dim3 blokk(CS, SOROK);
    dim3 racs((n + CS - 1) / CS, (m + CS - 1) / CS);
    szorzas<<<racs, blokk>>>(dA, dB, dC, m, n, k);
}
