// Redukált mátrixszorzat egész számokkal.
//   A: 2m x k, B: k x 2n, C: m x n (64 bites), sorfolytonosan
//   C[i][j] = az A*B szorzat (2i,2j)-nél kezdődő 2x2-es négyzetének összege
// Minden warp egy 4 x 32-es csempét vesz C-ből, és a rácson végiglépkedve
// viszi a többit is. Az elemek abszolút értéke legfeljebb egymillió,
// m, n, k 1 és 1 000 000 között.
//
// Indítás:  redukalt<<<480, 128>>>(dA, dB, dC, m, n, k);
// (a blokk mérete 32 többszöröse, a blokkok száma tetszőleges)
#include <cuda_runtime.h>

constexpr int SOROK = 4;
constexpr unsigned MIND = 0xffffffffu;

__global__ void redukalt(const int* __restrict__ A, const int* __restrict__ B,
                         long long* __restrict__ C, int m, int n, int k)
{
    const int sav = threadIdx.x % 32;
    const long long warpok = (long long)gridDim.x * blockDim.x / 32;
    const long long enyem = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32;

    const long long csempeX = (n + 31) / 32;
    const long long csempeY = (m + SOROK - 1) / SOROK;

    for (long long cs = enyem; cs < csempeX * csempeY; cs += warpok) {
        const int i0 = int(cs / csempeX) * SOROK;
        const int j = int(cs % csempeX) * 32 + sav;
        long long osszeg[SOROK] = {};

        for (int k0 = 0; k0 < k; k0 += 32) {
            // minden szál egy oszlopot hoz az A sorpárjainak összegéből
            int par[SOROK];
#pragma unroll
            for (int r = 0; r < SOROK; ++r) {
                par[r] = 0;
                if (i0 + r < m && k0 + sav < k) {
                    const int* p = A + 2LL * (i0 + r) * k + k0 + sav;
                    par[r] = p[0] + p[k];
                }
            }

            const int hatar = min(32, k - k0);
            for (int q = 0; q < hatar; ++q) {
                int b = 0;
                if (j < n) {
                    const int* p = B + 2LL * (k0 + q) * n + 2 * j;
                    b = p[0] + p[1];
                }
#pragma unroll
                for (int r = 0; r < SOROK; ++r)
                    osszeg[r] += (long long)__shfl_sync(MIND, par[r], q) * b;
            }
        }

        if (j < n) {
#pragma unroll
            for (int r = 0; r < SOROK; ++r)
                if (i0 + r < m) C[(long long)(i0 + r) * n + j] = osszeg[r];
        }
    }
}
