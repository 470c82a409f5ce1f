// Produit scalaire de deux vecteurs d'entiers, longueur quelconque.
// *res doit valoir 0 avant l'appel ; lancer avec NT fils par bloc, nombre de blocs libre.
#define NT 192

__global__ void produit_scalaire(const int *u, const int *v, int *res, int n)
{
    __shared__ int cache[NT];
    const int t = threadIdx.x;

    int somme = 0;
    for (int i = blockIdx.x * NT + t; i < n; i += NT * gridDim.x)
        somme += u[i] * v[i];
    cache[t] = somme;
    __syncthreads();

    for (int moitie = NT / 2; moitie > 0; moitie /= 2) {
        if (t < moitie)
            cache[t] += cache[t + moitie];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(res, cache[0]);
}
