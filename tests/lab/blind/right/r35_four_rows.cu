// Teil der Hausaufgabe: TODO 2 (Kernel mit Shared Memory und 32x8 Threads).
// Jeder Thread berechnet 4 Elemente von C (Zeilen y, y+8, y+16, y+24),
// ein Block also eine 32x32 Kachel.
// Aufruf: Block 32x8, Gitter = Anzahl der 32er-Kacheln (aufgerundet) in x = Spalten und y = Zeilen.

#define KB 32          // Kantenlaenge der Kachel
#define ZEILEN_PRO_BLOCK 8

__global__ void matMul4(float* C, const float* A, const float* B, unsigned int h, unsigned int w, unsigned int t)
{
    // A: h x t, B: t x w, C: h x w
    __shared__ float sA[KB][KB + 1];
    __shared__ float sB[KB][KB + 1];

    const unsigned int x = threadIdx.x;
    const unsigned int y = threadIdx.y;
    const unsigned int spalte = blockIdx.x * KB + x;
    const unsigned int zeile0 = blockIdx.y * KB;

    float erg[4] = {0.f, 0.f, 0.f, 0.f};

    for (unsigned int k0 = 0; k0 < t; k0 += KB)
    {
        #pragma unroll
        for (unsigned int d = 0; d < KB; d += ZEILEN_PRO_BLOCK)
        {
            const unsigned int z = zeile0 + y + d;
            const unsigned int kb = k0 + y + d;
            sA[y + d][x] = (z < h && k0 + x < t) ? A[z * t + k0 + x] : 0.f;
            sB[y + d][x] = (kb < t && spalte < w) ? B[kb * w + spalte] : 0.f;
        }
        __syncthreads();

        for (unsigned int k = 0; k < KB; ++k)
        {
            const float b = sB[k][x];
            erg[0] += sA[y][k] * b;
            erg[1] += sA[y + 8][k] * b;
            erg[2] += sA[y + 16][k] * b;
            erg[3] += sA[y + 24][k] * b;
        }
        __syncthreads();
    }

    if (spalte < w)
    {
        for (int i = 0; i < 4; ++i)
        {
            const unsigned int z = zeile0 + y + i * ZEILEN_PRO_BLOCK;
            if (z < h)
                C[z * w + spalte] = erg[i];
        }
    }
}
