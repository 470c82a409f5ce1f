#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Transposée d'une matrice rectangulaire par tuiles 32 x 32,
// blocs de 32 x 8 threads (chaque thread traite 4 éléments).
// La colonne en plus évite les conflits de bancs.

static const int COTE = 32;
static const int RANGS = 8;

__global__ void transposer(float *sortie, const float *entree, int nbLignes, int nbColonnes)
{
    __shared__ float tuile[COTE][COTE + 1];

    int x = blockIdx.x * COTE + threadIdx.x;
    int y = blockIdx.y * COTE + threadIdx.y;

    for (int d = 0; d < COTE; d += RANGS)
        if (x < nbColonnes && y + d < nbLignes)
            tuile[threadIdx.y + d][threadIdx.x] = entree[(y + d) * nbColonnes + x];

    __syncthreads();

    // on échange le rôle des blocs : la sortie a nbColonnes lignes
    x = blockIdx.y * COTE + threadIdx.x;
    y = blockIdx.x * COTE + threadIdx.y;

    for (int d = 0; d < COTE; d += RANGS)
        if (x < nbLignes && y + d < nbColonnes)
            sortie[(y + d) * nbLignes + x] = tuile[threadIdx.x][threadIdx.y + d];
}

int main(int argc, char **argv)
{
    int l = argc > 1 ? atoi(argv[1]) : 71;
    int c = argc > 2 ? atoi(argv[2]) : 150;
    if (l < 1 || c < 1 || l > 30000 || c > 30000) return 2;

    size_t octets = sizeof(float) * l * c;
    float *h = (float *)malloc(octets), *r = (float *)malloc(octets);
    for (int i = 0; i < l * c; i++) h[i] = (float)(i % 10007);

    float *d1, *d2;
    if (cudaMalloc(&d1, octets) != cudaSuccess || cudaMalloc(&d2, octets) != cudaSuccess) {
        puts("pas assez de mémoire");
        return 1;
    }
    cudaMemcpy(d1, h, octets, cudaMemcpyHostToDevice);

    dim3 grille((c + COTE - 1) / COTE, (l + COTE - 1) / COTE);
    transposer<<<grille, dim3(COTE, RANGS)>>>(d2, d1, l, c);
    cudaMemcpy(r, d2, octets, cudaMemcpyDeviceToHost);

    int erreurs = 0;
    for (int i = 0; i < l; i++)
        for (int j = 0; j < c; j++)
            if (r[j * l + i] != h[i * c + j]) erreurs++;
    printf("%d erreurs\n", erreurs);

    cudaFree(d1);
    cudaFree(d2);
    free(h);
    free(r);
    return erreurs != 0;
}
