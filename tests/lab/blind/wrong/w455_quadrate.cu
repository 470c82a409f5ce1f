// Reduziertes Produkt: C[i][j] = Summe ueber k von
//      (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A ist zeilen x innen, B innen x spalten; zeilen und spalten gerade, innen beliebig.
// Start: 256 Threads pro Block (1D), Gitter ((spalten/2+15)/16, (zeilen/2+15)/16)

#define KA 16

__global__ void quadrate(const float *A, const float *B, float *C,
                         int zeilen, int innen, int spalten)
{
    __shared__ float pa[KA][KA];   // [k][zeile]
    __shared__ float pb[KA][KA];   // [k][spalte]

    int nz = zeilen / 2, ns = spalten / 2;
    int oben = blockIdx.y * KA, links = blockIdx.x * KA;
    int k = threadIdx.x / KA;
    int x = threadIdx.x % KA;
    float wert = 0.0f;

    for (int k0 = 0; k0 < innen; k0 += KA) {
        int kg = k0 + k;
        if (kg < innen) {
            float sa = 0.0f, sb = 0.0f;
            int z = oben + x, s = links + x;
            if (z < nz)
                sa = A[2 * z * innen + kg] + A[(2 * z + 1) * innen + kg];
            if (s < ns)
                sb = B[kg * spalten + 2 * s] + B[kg * spalten + 2 * s + 1];
            pa[k][x] = sa;
            pb[k][x] = sb;
        }
        __syncthreads();

        for (int q = 0; q < KA; q++)
            wert += pa[q][k] * pb[q][x];
        __syncthreads();
    }

    // ab hier ist k die Zeile in der Kachel
    if (oben + k < nz && links + x < ns)
        C[(oben + k) * ns + links + x] = wert;
}
