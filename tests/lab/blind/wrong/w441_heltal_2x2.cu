// Heltalsprodukt: A och B ar int (|varde| <= 40000), C ar long long, sa resultatet
// ryms alltid.  Varje trad raknar en 2x2-ruta.  Godtyckliga storlekar.
#include <cuda_runtime.h>

#define RUTA 2
#define SIDA 16                 // tradar per led
#define BLOCK (RUTA * SIDA)

__global__ void heltalsprodukt(const int *A, const int *B, long long *C,
                               int rader, int kolumner, int inre)
{
    __shared__ int bitA[BLOCK][SIDA];
    __shared__ int bitB[SIDA][BLOCK];

    int tx = threadIdx.x, ty = threadIdx.y;
    int r0 = blockIdx.y * BLOCK, k0 = blockIdx.x * BLOCK;

    int summa[RUTA][RUTA] = {{0, 0}, {0, 0}};

    for (int p0 = 0; p0 < inre; p0 += SIDA) {
        for (int u = 0; u < RUTA; u++) {
            int r = r0 + ty + u * SIDA;
            int k = k0 + tx + u * SIDA;
            bitA[ty + u * SIDA][tx] = (r < rader && p0 + tx < inre)
                                          ? A[(long long)r * inre + p0 + tx] : 0;
            bitB[ty][tx + u * SIDA] = (p0 + ty < inre && k < kolumner)
                                          ? B[(long long)(p0 + ty) * kolumner + k] : 0;
        }
        __syncthreads();

        for (int p = 0; p < SIDA; p++)
            for (int u = 0; u < RUTA; u++)
                for (int v = 0; v < RUTA; v++)
                    summa[u][v] += bitA[ty + u * SIDA][p] * bitB[p][tx + v * SIDA];
        __syncthreads();
    }

    for (int u = 0; u < RUTA; u++)
        for (int v = 0; v < RUTA; v++) {
            int r = r0 + ty + u * SIDA;
            int k = k0 + tx + v * SIDA;
            if (r < rader && k < kolumner)
                C[(long long)r * kolumner + k] = summa[u][v];
        }
}

void starta(const int *A, const int *B, long long *C, int rader, int kolumner, int inre)
{
    dim3 tradar(SIDA, SIDA);
    dim3 rutnat((kolumner + BLOCK - 1) / BLOCK, (rader + BLOCK - 1) / BLOCK);
    heltalsprodukt<<<rutnat, tradar>>>(A, B, C, rader, kolumner, inre);
}
