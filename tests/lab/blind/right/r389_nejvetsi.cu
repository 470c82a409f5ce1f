// Hledani nejvetsiho prvku a jeho pozice (pri shode plati mensi index).
// Prvni pruchod: kazdy blok najde sve maximum. Druhy pruchod: jediny blok
// projde vysledky vsech bloku.
#include <cfloat>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Kandidat {
    float hodnota;
    int index;
};

constexpr int VLAKNA = 128;
constexpr int MAX_BLOKU = 64;

__host__ __device__ inline Kandidat lepsi(Kandidat a, Kandidat b)
{
    if (a.hodnota > b.hodnota) return a;
    if (b.hodnota > a.hodnota) return b;
    return a.index < b.index ? a : b;
}

__device__ Kandidat maximumBloku(Kandidat muj)
{
    __shared__ Kandidat s[VLAKNA];
    s[threadIdx.x] = muj;
    __syncthreads();
    for (int pul = VLAKNA / 2; pul > 0; pul /= 2) {
        if (threadIdx.x < pul)
            s[threadIdx.x] = lepsi(s[threadIdx.x], s[threadIdx.x + pul]);
        __syncthreads();
    }
    return s[0];
}

__global__ void pruchodData(const float *data, int n, Kandidat *vysledky)
{
    Kandidat nej = {-FLT_MAX, INT_MAX};
    for (long long i = blockIdx.x * VLAKNA + threadIdx.x; i < n; i += gridDim.x * VLAKNA) {
        Kandidat k = {data[i], (int)i};
        nej = lepsi(nej, k);
    }
    nej = maximumBloku(nej);
    if (threadIdx.x == 0)
        vysledky[blockIdx.x] = nej;
}

__global__ void pruchodBloky(const Kandidat *vysledky, int pocet, Kandidat *celkem)
{
    Kandidat nej = {-FLT_MAX, INT_MAX};
    for (int i = threadIdx.x; i < pocet; i += VLAKNA)
        nej = lepsi(nej, vysledky[i]);
    nej = maximumBloku(nej);
    if (threadIdx.x == 0)
        *celkem = nej;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 54321;
    if (n < 1) {
        printf("pouziti: %s pocet (alespon 1)\n", argv[0]);
        return 2;
    }

    float *data;
    Kandidat *vysledky, *celkem;
    cudaMallocManaged(&data, n * sizeof(float));
    cudaMallocManaged(&vysledky, MAX_BLOKU * sizeof(Kandidat));
    cudaMallocManaged(&celkem, sizeof(Kandidat));

    srand(2024);
    Kandidat ocekavano = {-FLT_MAX, INT_MAX};
    for (int i = 0; i < n; ++i) {
        data[i] = -(float)(rand() % 5000) - 1.0f;
        Kandidat k = {data[i], i};
        ocekavano = lepsi(ocekavano, k);
    }

    int bloku = (n + VLAKNA - 1) / VLAKNA;
    if (bloku > MAX_BLOKU) bloku = MAX_BLOKU;
    pruchodData<<<bloku, VLAKNA>>>(data, n, vysledky);
    pruchodBloky<<<1, VLAKNA>>>(vysledky, bloku, celkem);
    cudaError_t chyba = cudaDeviceSynchronize();
    if (chyba != cudaSuccess) {
        printf("chyba: %s\n", cudaGetErrorString(chyba));
        return 1;
    }

    const bool ok = celkem->hodnota == ocekavano.hodnota && celkem->index == ocekavano.index;
    printf("maximum %g na pozici %d: %s\n", celkem->hodnota, celkem->index,
           ok ? "souhlasi" : "NESOUHLASI");
    cudaFree(data);
    cudaFree(vysledky);
    cudaFree(celkem);
    return ok ? 0 : 1;
}
