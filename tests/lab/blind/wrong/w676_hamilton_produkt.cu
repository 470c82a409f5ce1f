// Produkt zweier Hamilton-Bloecke, P = H1 * H2, zeilenweise, beliebige Groessen (1 bis 10000).
// Version mit Shared Memory (Kachel 16 x 16), einfache Genauigkeit.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define KACHEL 16

__global__ void hamilton(const float *h1, const float *h2, float *p,
                         int zeilen, int innen, int spalten)
{
    __shared__ float k1[KACHEL][KACHEL];
    __shared__ float k2[KACHEL][KACHEL];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int z = blockIdx.y * KACHEL + ty;
    int s = blockIdx.x * KACHEL + tx;

    if (z >= zeilen || s >= spalten) return;

    float wert = 0.0f;
    int anzahl = (innen + KACHEL - 1) / KACHEL;
    for (int q = 0; q < anzahl; q++) {
        k1[ty][tx] = 0.0f;
        k2[ty][tx] = 0.0f;
        if (q * KACHEL + tx < innen)
            k1[ty][tx] = h1[z * innen + q * KACHEL + tx];
        if (q * KACHEL + ty < innen)
            k2[ty][tx] = h2[(q * KACHEL + ty) * spalten + s];
        __syncthreads();

        for (int l = 0; l < KACHEL; l++)
            wert += k1[ty][l] * k2[l][tx];
        __syncthreads();
    }
    p[z * spalten + s] = wert;
}

int main(int argc, char **argv)
{
    // Aufruf: hamilton [zeilen innen spalten]
    int zeilen = 100, innen = 60, spalten = 90;
    if (argc == 4) {
        zeilen = atoi(argv[1]);
        innen = atoi(argv[2]);
        spalten = atoi(argv[3]);
    }
    size_t b1 = sizeof(float) * zeilen * innen;
    size_t b2 = sizeof(float) * innen * spalten;
    size_t bp = sizeof(float) * zeilen * spalten;

    float *h1 = (float *)malloc(b1), *h2 = (float *)malloc(b2), *p = (float *)malloc(bp);
    for (int i = 0; i < zeilen * innen; i++) h1[i] = (float)(i % 13) - 6.0f;
    for (int i = 0; i < innen * spalten; i++) h2[i] = (float)(i % 17) - 8.0f;

    float *d1, *d2, *dp;
    cudaMalloc(&d1, b1);
    cudaMalloc(&d2, b2);
    cudaMalloc(&dp, bp);
    cudaMemcpy(d1, h1, b1, cudaMemcpyHostToDevice);
    cudaMemcpy(d2, h2, b2, cudaMemcpyHostToDevice);

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((spalten + KACHEL - 1) / KACHEL, (zeilen + KACHEL - 1) / KACHEL);
    hamilton<<<gitter, block>>>(d1, d2, dp, zeilen, innen, spalten);
    cudaMemcpy(p, dp, bp, cudaMemcpyDeviceToHost);

    float spur = 0.0f;
    for (int i = 0; i < zeilen && i < spalten; i++) spur += p[i * spalten + i];
    printf("Spur = %f\n", spur);

    cudaFree(d1); cudaFree(d2); cudaFree(dp);
    free(h1); free(h2); free(p);
    return 0;
}
