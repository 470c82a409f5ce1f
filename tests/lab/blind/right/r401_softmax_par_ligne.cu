// Softmax ligne par ligne, version « en ligne » (maximum et somme en une seule passe).
//   sortie[i][j] = exp(x[i][j] - max_i) / somme_j exp(x[i][j] - max_i)
// Un bloc par ligne. Les valeurs d'entrée sont supposées finies.
// blockDim.x : multiple de 32, au plus 1024.
// Mémoire dynamique : (blockDim.x / 32) * sizeof(Etat).
#include <cuda_runtime.h>
#include <math_constants.h>

struct Etat {
    float maxi;
    float somme;
};

__device__ __forceinline__ Etat fusionner(Etat a, Etat b)
{
    Etat r;
    r.maxi = fmaxf(a.maxi, b.maxi);
    // deux états vides : il ne faut pas calculer (-inf) - (-inf)
    if (r.maxi == -CUDART_INF_F) {
        r.somme = 0.0f;
        return r;
    }
    r.somme = a.somme * expf(a.maxi - r.maxi) + b.somme * expf(b.maxi - r.maxi);
    return r;
}

__device__ __forceinline__ Etat fusionnerWarp(Etat e)
{
    for (int pas = 16; pas > 0; pas >>= 1) {
        Etat autre;
        autre.maxi  = __shfl_xor_sync(0xffffffffu, e.maxi, pas);
        autre.somme = __shfl_xor_sync(0xffffffffu, e.somme, pas);
        e = fusionner(e, autre);
    }
    return e;
}

__global__ void softmaxLignes(const float *x, float *sortie, int colonnes)
{
    extern __shared__ Etat parWarp[];

    const float *ligne = x + (size_t)blockIdx.x * colonnes;
    float *dest = sortie + (size_t)blockIdx.x * colonnes;
    const int voie = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int nbWarps = blockDim.x >> 5;

    Etat e = { -CUDART_INF_F, 0.0f };
    for (int j = threadIdx.x; j < colonnes; j += blockDim.x) {
        Etat un = { ligne[j], 1.0f };
        e = fusionner(e, un);
    }

    e = fusionnerWarp(e);
    if (voie == 0)
        parWarp[warp] = e;
    __syncthreads();

    // chaque warp refait la fusion finale : pas besoin de seconde diffusion
    Etat total = { -CUDART_INF_F, 0.0f };
    if (voie < nbWarps)
        total = parWarp[voie];
    total = fusionnerWarp(total);

    const float inv = 1.0f / total.somme;
    for (int j = threadIdx.x; j < colonnes; j += blockDim.x)
        dest[j] = expf(ligne[j] - total.maxi) * inv;
}

void softmax(const float *dX, float *dSortie, int lignes, int colonnes)
{
    if (lignes < 1 || colonnes < 1) return;
    int fils = 32;
    while (fils < colonnes && fils < 512) fils *= 2;
    softmaxLignes<<<lignes, fils, (fils / 32) * sizeof(Etat)>>>(dX, dSortie, colonnes);
}
