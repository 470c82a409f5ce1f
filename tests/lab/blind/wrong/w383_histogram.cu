// Histogram van gehele metingen: bak = (waarde - minimum) / breedte.
// Waarden buiten het bereik worden overgeslagen. Het aantal bakken is vrij
// te kiezen van 1 tot 4096; waarden, minimum en breedte blijven klein genoeg
// dat waarde - minimum niet overloopt; n is hoogstens 2^30.
#include <cuda_runtime.h>

#define DRADEN 256

struct Indeling {
    int minimum;
    int breedte;   // > 0
    int bakken;
};

__global__ void telMetingen(const int *metingen, int n, Indeling ind, unsigned int *telling)
{
    extern __shared__ unsigned int lokaal[];

    if (threadIdx.x < ind.bakken)
        lokaal[threadIdx.x] = 0;
    __syncthreads();

    const int stap = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stap) {
        const int verschil = metingen[i] - ind.minimum;
        if (verschil >= 0) {
            const int bak = verschil / ind.breedte;
            if (bak < ind.bakken)
                atomicAdd(&lokaal[bak], 1u);
        }
    }
    __syncthreads();

    for (int b = threadIdx.x; b < ind.bakken; b += blockDim.x)
        atomicAdd(&telling[b], lokaal[b]);
}

// metingen staat op het apparaat, telling (ind.bakken elementen) ook.
cudaError_t histogram(const int *metingen, int n, Indeling ind, unsigned int *telling)
{
    if (n < 0 || ind.breedte <= 0 || ind.bakken < 1 || ind.bakken > 4096)
        return cudaErrorInvalidValue;

    const size_t bytes = ind.bakken * sizeof(unsigned int);
    cudaError_t fout = cudaMemset(telling, 0, bytes);
    if (fout != cudaSuccess || n == 0)
        return fout;

    int blokken = (n + DRADEN - 1) / DRADEN;
    if (blokken > 80)
        blokken = 80;
    telMetingen<<<blokken, DRADEN, bytes>>>(metingen, n, ind, telling);
    return cudaGetLastError();
}
