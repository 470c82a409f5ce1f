#include <cstdio>
#include <cuda_runtime.h>

// produit de matrices d'entiers, la taille du pavé est choisie au lancement
__global__ void produitEntier(const int *a, const int *b, int *c,
                              int lignes, int commun, int colonnes)
{
    extern __shared__ int memoire[];
    const int t = blockDim.x;             // pavés carrés t x t
    int *pa = memoire;
    int *pb = memoire + t * t;

    int i = blockIdx.y * t + threadIdx.y;
    int j = blockIdx.x * t + threadIdx.x;
    int ici = threadIdx.y * t + threadIdx.x;
    int s = 0;

    for (int d = 0; d < commun; d += t)
    {
        int ka = d + threadIdx.x;
        int kb = d + threadIdx.y;
        pa[ici] = i < lignes && ka < commun ? a[i * commun + ka] : 0;
        pb[ici] = j < colonnes && kb < commun ? b[kb * colonnes + j] : 0;
        __syncthreads();

        int fin = min(t, commun - d);
        for (int k = 0; k < fin; k++)
            s += pa[threadIdx.y * t + k] * pb[k * t + threadIdx.x];
        __syncthreads();
    }

    if (i < lignes && j < colonnes)
        c[i * colonnes + j] = s;
}

// t entre 1 et 32
cudaError_t multiplier(const int *a, const int *b, int *c,
                       int lignes, int commun, int colonnes, int t)
{
    if (t < 1 || t > 32) {
        printf("taille de pave impossible : %d\n", t);
        return cudaErrorInvalidValue;
    }
    dim3 bloc(t, t);
    dim3 grille((colonnes + t - 1) / t, (lignes + t - 1) / t);
    size_t octets = 2 * t * t * sizeof(int);
    produitEntier<<<grille, bloc, octets>>>(a, b, c, lignes, commun, colonnes);
    return cudaGetLastError();
}
