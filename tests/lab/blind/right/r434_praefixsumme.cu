// Exklusive Praefixsumme (Blelloch), beliebige Laenge n >= 1.
// Jeder Block bearbeitet 2*TPB Werte; die Blocksummen werden rekursiv behandelt.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define TPB 128
#define PRO_BLOCK (2 * TPB)

__global__ void scanBlock(const unsigned *ein, unsigned *aus, unsigned *blockSummen, int n)
{
    __shared__ unsigned t[PRO_BLOCK];
    int tid = threadIdx.x;
    int basis = blockIdx.x * PRO_BLOCK;

    t[tid]       = (basis + tid < n)       ? ein[basis + tid]       : 0;
    t[tid + TPB] = (basis + tid + TPB < n) ? ein[basis + tid + TPB] : 0;

    // aufwaerts
    int abstand = 1;
    for (int d = TPB; d > 0; d >>= 1) {
        __syncthreads();
        if (tid < d) {
            int a = abstand * (2 * tid + 1) - 1;
            int b = abstand * (2 * tid + 2) - 1;
            t[b] += t[a];
        }
        abstand *= 2;
    }

    __syncthreads();
    if (tid == 0) {
        blockSummen[blockIdx.x] = t[PRO_BLOCK - 1];
        t[PRO_BLOCK - 1] = 0;
    }

    // abwaerts
    for (int d = 1; d < PRO_BLOCK; d *= 2) {
        abstand >>= 1;
        __syncthreads();
        if (tid < d) {
            int a = abstand * (2 * tid + 1) - 1;
            int b = abstand * (2 * tid + 2) - 1;
            unsigned merk = t[a];
            t[a] = t[b];
            t[b] += merk;
        }
    }
    __syncthreads();

    if (basis + tid < n)       aus[basis + tid]       = t[tid];
    if (basis + tid + TPB < n) aus[basis + tid + TPB] = t[tid + TPB];
}

__global__ void addiereVorsumme(unsigned *aus, const unsigned *vorsummen, int n)
{
    int i = blockIdx.x * PRO_BLOCK + threadIdx.x;
    unsigned v = vorsummen[blockIdx.x];
    if (i < n)       aus[i] += v;
    if (i + TPB < n) aus[i + TPB] += v;
}

void praefixsumme(const unsigned *dEin, unsigned *dAus, int n)
{
    int bloecke = (n + PRO_BLOCK - 1) / PRO_BLOCK;
    unsigned *dSummen;
    cudaMalloc(&dSummen, bloecke * sizeof(unsigned));

    scanBlock<<<bloecke, TPB>>>(dEin, dAus, dSummen, n);
    if (bloecke > 1) {
        unsigned *dVor;
        cudaMalloc(&dVor, bloecke * sizeof(unsigned));
        praefixsumme(dSummen, dVor, bloecke);
        addiereVorsumme<<<bloecke, TPB>>>(dAus, dVor, n);
        cudaFree(dVor);
    }
    cudaFree(dSummen);
}

int main(int argc, char **argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 70001;
    if (n < 1 || n > 100000000) return 2;
    std::vector<unsigned> h(n), e(n);
    for (int i = 0; i < n; i++) h[i] = (i * 37u + 11u) % 101u;

    unsigned *dEin, *dAus;
    cudaMalloc(&dEin, n * sizeof(unsigned));
    cudaMalloc(&dAus, n * sizeof(unsigned));
    cudaMemcpy(dEin, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    praefixsumme(dEin, dAus, n);
    cudaMemcpy(e.data(), dAus, n * sizeof(unsigned), cudaMemcpyDeviceToHost);

    unsigned laufend = 0;
    int fehler = 0;
    for (int i = 0; i < n; i++) {
        if (e[i] != laufend) fehler++;
        laufend += h[i];
    }
    printf("n = %d, Fehler: %d\n", n, fehler);
    cudaFree(dEin);
    cudaFree(dAus);
    return fehler != 0;
}
