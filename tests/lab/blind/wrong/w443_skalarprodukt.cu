/* Skalarprodukt mit einem einzigen Kernel.
   Der Block, der zuletzt fertig wird, zaehlt die Teilsummen zusammen.
   skalarprodukt() darf beliebig oft gerufen werden. */
#include <stdio.h>
#include <cuda_runtime.h>

#define FAEDEN 256
#define BLOECKE 32

__device__ unsigned int fertig = 0;

__global__ void skalar(const double *u, const double *v, int laenge,
                       volatile double *teile, double *ergebnis)
{
    __shared__ double lager[FAEDEN];
    __shared__ int binLetzter;
    int f = threadIdx.x;

    double s = 0.0;
    for (long i = (long)blockIdx.x * FAEDEN + f; i < laenge; i += (long)FAEDEN * gridDim.x)
        s += u[i] * v[i];
    lager[f] = s;
    __syncthreads();
    for (int h = FAEDEN / 2; h >= 1; h >>= 1) {
        if (f < h) lager[f] += lager[f + h];
        __syncthreads();
    }

    if (f == 0) {
        teile[blockIdx.x] = lager[0];
        __threadfence();
        unsigned int nummer = atomicAdd(&fertig, 1u);
        binLetzter = (nummer == gridDim.x - 1);
    }
    __syncthreads();

    if (binLetzter) {
        lager[f] = f < (int)gridDim.x ? teile[f] : 0.0;
        __syncthreads();
        for (int h = FAEDEN / 2; h >= 1; h >>= 1) {
            if (f < h) lager[f] += lager[f + h];
            __syncthreads();
        }
        if (f == 0) *ergebnis = lager[0];
    }
}

/* u, v auf der Karte; liefert die Summe */
double skalarprodukt(const double *u, const double *v, int laenge)
{
    double *teile, *erg, h = 0.0;
    cudaMalloc((void **)&teile, BLOECKE * sizeof(double));
    cudaMalloc((void **)&erg, sizeof(double));
    cudaMemset(erg, 0, sizeof(double));
    skalar<<<BLOECKE, FAEDEN>>>(u, v, laenge, teile, erg);
    cudaMemcpy(&h, erg, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(teile);
    cudaFree(erg);
    return h;
}
