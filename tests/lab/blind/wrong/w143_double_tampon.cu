// Produit matriciel avec double tampon en mémoire partagée.
// A : m x k, B : k x n, C : m x n (m, n, k >= 1)
// blocs de 16 x 16 threads, grille ((n + 15) / 16, (m + 15) / 16)

#define COTE 16

__device__ float lire(const float *mat, int ligne, int colonne, int lignes, int colonnes)
{
    return (ligne < lignes && colonne < colonnes) ? mat[ligne * colonnes + colonne] : 0.0f;
}

__global__ void produitDoubleTampon(const float *A, const float *B, float *C,
                                    int m, int n, int k)
{
    __shared__ float tuileA[2][COTE][COTE];
    __shared__ float tuileB[2][COTE][COTE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int ligne = blockIdx.y * COTE + ty;
    const int colonne = blockIdx.x * COTE + tx;
    const int etapes = (k + COTE - 1) / COTE;
    float somme = 0.0f;

    // première tuile
    tuileA[0][ty][tx] = lire(A, ligne, tx, m, k);
    tuileB[0][ty][tx] = lire(B, ty, colonne, k, n);
    __syncthreads();

    for (int e = 0; e < etapes; ++e) {
        const int courant = e % 2;
        const int suivant = 1 - courant;

        // tuile suivante pendant le calcul
        if (e + 1 < etapes) {
            tuileA[suivant][ty][tx] = lire(A, ligne, (e + 1) * COTE + tx, m, k);
            tuileB[suivant][ty][tx] = lire(B, (e + 1) * COTE + ty, colonne, k, n);
        }

        for (int i = 0; i < COTE; ++i)
            somme += tuileA[courant][ty][i] * tuileB[courant][i][tx];
    }

    if (ligne < m && colonne < n)
        C[ligne * n + colonne] = somme;
}
