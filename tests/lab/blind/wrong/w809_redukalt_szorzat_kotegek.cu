// Redukált mátrixszorzat kötegelve: minden kötegre
//   C[i][j] = (A*B)[2i][2j] + (A*B)[2i][2j+1] + (A*B)[2i+1][2j] + (A*B)[2i+1][2j+1]
// A: 2m x p, B: p x 2n, C: m x n, a kötegek szorosan egymás után állnak.
// m, n, p: 1..4000, a kötegek száma 1..1000.
#include <algorithm>
#include <cuda_runtime.h>

#define EL 16

__global__ void redukalt(const float* A, const float* B, float* C, int m, int n, int p, int kotegek)
{
    __shared__ float sorok[EL][EL + 1];
    __shared__ float oszlopok[EL][EL + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i = blockIdx.y * EL + ty;
    const int j = blockIdx.x * EL + tx;
    float osszeg = 0.0f;

    for (int z = blockIdx.z; z < kotegek; z += gridDim.z) {
        const float* a = A + (size_t)z * 2 * m * p;
        const float* b = B + (size_t)z * 2 * n * p;

        for (int k0 = 0; k0 < p; k0 += EL) {
            float s = 0.0f, o = 0.0f;
            if (i < m && k0 + tx < p) {
                const size_t h = (size_t)(2 * i) * p + k0 + tx;
                s = a[h] + a[h + p];
            }
            if (j < n && k0 + ty < p) {
                const size_t h = (size_t)(k0 + ty) * 2 * n + 2 * j;
                o = b[h] + b[h + 1];
            }
            sorok[ty][tx] = s;
            oszlopok[ty][tx] = o;
            __syncthreads();
            for (int q = 0; q < EL; ++q)
                osszeg += sorok[ty][q] * oszlopok[q][tx];
            __syncthreads();
        }

        if (i < m && j < n)
            C[(size_t)z * m * n + (size_t)i * n + j] = osszeg;
    }
}

// legfeljebb 32 réteg a rácsban; a többi köteget ugyanazok a blokkok viszik tovább
void redukaltSzorzat(const float* A, const float* B, float* C, int m, int n, int p, int kotegek)
{
    dim3 blokk(EL, EL);
    dim3 racs((n + EL - 1) / EL, (m + EL - 1) / EL, std::min(kotegek, 32));
    redukalt<<<racs, blokk>>>(A, B, C, m, n, p, kotegek);
}
