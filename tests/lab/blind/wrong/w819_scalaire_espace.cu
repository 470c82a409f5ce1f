// Produit scalaire, entrées float, somme en double précision.
// L'espace de travail est alloué une fois et sert à plusieurs appels.
#include <cuda_runtime.h>

struct Espace {
    double *somme;        // sur la carte
    cudaStream_t flux;
};

__global__ void scalaire(const float *__restrict__ x, const float *__restrict__ y,
                         long n, double *somme)
{
    __shared__ double parWarp[32];
    const int voie = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int nbWarps = blockDim.x >> 5;

    double s = 0.0;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (long)gridDim.x * blockDim.x)
        s += (double)x[i] * (double)y[i];

    for (int d = 1; d < 32; d *= 2)
        s += __shfl_xor_sync(0xffffffffu, s, d);
    if (voie == 0)
        parWarp[warp] = s;
    __syncthreads();

    if (threadIdx.x == 0) {
        double total = 0.0;
        for (int w = 0; w < nbWarps; w++)
            total += parWarp[w];
        atomicAdd(somme, total);
    }
}

int creer(Espace *e)
{
    if (cudaMalloc((void **)&e->somme, sizeof(double)) != cudaSuccess)
        return -1;
    return cudaStreamCreate(&e->flux) == cudaSuccess ? 0 : -1;
}

double produitScalaire(Espace *e, const float *x, const float *y, long n)
{
    double resultat;
    cudaMemsetAsync(e->somme, 0, sizeof(float), e->flux);
    scalaire<<<160, 320, 0, e->flux>>>(x, y, n, e->somme);
    cudaMemcpyAsync(&resultat, e->somme, sizeof(double), cudaMemcpyDeviceToHost, e->flux);
    cudaStreamSynchronize(e->flux);
    return resultat;
}

void detruire(Espace *e)
{
    cudaFree(e->somme);
    cudaStreamDestroy(e->flux);
}
