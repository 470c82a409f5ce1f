/* Soronkénti prefixösszeg (inkluzív), munkahatékony (Blelloch) módszerrel.
 * Egy blokk = egy sor. A sort nullákkal egészítjük ki a következő
 * kettőhatványig, és feleannyi szálat indítunk.
 * Korlát: 1 <= oszlopok <= 2048.
 *
 * Házi feladat, GPU programozás 2. gyakorlat
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define MAX_OSZLOP 2048

/* meret: kettőhatvány, blockDim.x == meret / 2 */
__global__ void prefixOsszeg(const int *be, int *ki, int oszlopok, int meret)
{
    __shared__ int fa[MAX_OSZLOP];
    const int t = threadIdx.x;
    const int *sorBe = be + (size_t)blockIdx.x * oszlopok;
    int *sorKi = ki + (size_t)blockIdx.x * oszlopok;

    for (int o = t; o < meret; o += blockDim.x)
        fa[o] = (o < oszlopok) ? sorBe[o] : 0;

    /* felfelé: részösszegek */
    int tav = 1;
    for (int d = meret / 2; d > 0; d /= 2) {
        if (t < d) {
            __syncthreads();
            int bal = tav * (2 * t + 1) - 1;
            int jobb = tav * (2 * t + 2) - 1;
            fa[jobb] += fa[bal];
        }
        tav *= 2;
    }

    if (t == 0)
        fa[meret - 1] = 0;

    /* lefelé: exkluzív prefixösszeg */
    for (int d = 1; d < meret; d *= 2) {
        tav /= 2;
        __syncthreads();
        if (t < d) {
            int bal = tav * (2 * t + 1) - 1;
            int jobb = tav * (2 * t + 2) - 1;
            int x = fa[bal];
            fa[bal] = fa[jobb];
            fa[jobb] += x;
        }
    }
    __syncthreads();

    /* inkluzív = exkluzív + saját elem */
    for (int o = t; o < oszlopok; o += blockDim.x)
        sorKi[o] = fa[o] + sorBe[o];
}

int main(int argc, char **argv)
{
    int sorok = argc > 1 ? atoi(argv[1]) : 8;
    int oszlopok = argc > 2 ? atoi(argv[2]) : 1500;
    if (oszlopok < 1 || oszlopok > MAX_OSZLOP || sorok < 1) {
        printf("hibas meret\n");
        return 1;
    }
    int meret = 2;
    while (meret < oszlopok) meret *= 2;

    size_t db = (size_t)sorok * oszlopok;
    int *be = (int *)malloc(db * sizeof(int));
    int *ki = (int *)malloc(db * sizeof(int));
    for (size_t i = 0; i < db; i++) be[i] = rand() % 10;

    int *g_be, *g_ki;
    cudaMalloc((void **)&g_be, db * sizeof(int));
    cudaMalloc((void **)&g_ki, db * sizeof(int));
    cudaMemcpy(g_be, be, db * sizeof(int), cudaMemcpyHostToDevice);

    prefixOsszeg<<<sorok, meret / 2>>>(g_be, g_ki, oszlopok, meret);
    cudaMemcpy(ki, g_ki, db * sizeof(int), cudaMemcpyDeviceToHost);

    int hibak = 0;
    for (int s = 0; s < sorok; s++) {
        int osszeg = 0;
        for (int o = 0; o < oszlopok; o++) {
            osszeg += be[(size_t)s * oszlopok + o];
            if (ki[(size_t)s * oszlopok + o] != osszeg) hibak++;
        }
    }
    printf("hibak szama: %d\n", hibak);

    cudaFree(g_be);
    cudaFree(g_ki);
    free(be);
    free(ki);
    return 0;
}
