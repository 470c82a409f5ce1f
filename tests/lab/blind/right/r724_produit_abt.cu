// Produit C = A * B^T
//   A : m x k, B : n x k, C : m x n (stockage par lignes)
// Lancement attendu :
//   dim3 bloc(32, 8);
//   dim3 grille((n + 31) / 32, (m + 31) / 32);
// Chaque fil calcule quatre elements d'une meme colonne de C.
// Les dimensions m, n et k sont quelconques.

#define COTE   32
#define RANGS  8
#define PARFIL (COTE / RANGS)

__device__ __forceinline__ float lire(const float *mat, int ligne, int colonne,
                                      int nb_lignes, int nb_colonnes)
{
    if (ligne < nb_lignes && colonne < nb_colonnes)
        return mat[(size_t)ligne * nb_colonnes + colonne];
    return 0.0f;
}

__global__ void produit_transpose(const float *__restrict__ A,
                                  const float *__restrict__ B,
                                  float *__restrict__ C,
                                  int m, int n, int k)
{
    // une colonne de remplissage : on lit tuileB par colonnes
    __shared__ float tuileA[COTE][COTE + 1];
    __shared__ float tuileB[COTE][COTE + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int ligne0 = blockIdx.y * COTE;
    const int colonne0 = blockIdx.x * COTE;

    float somme[PARFIL] = {0.0f, 0.0f, 0.0f, 0.0f};

    for (int debut = 0; debut < k; debut += COTE)
    {
        // les deux matrices sont lues le long de k : acces contigus
        for (int r = ty; r < COTE; r += RANGS)
        {
            tuileA[r][tx] = lire(A, ligne0 + r, debut + tx, m, k);
            tuileB[r][tx] = lire(B, colonne0 + r, debut + tx, n, k);
        }
        __syncthreads();

        for (int p = 0; p < COTE; ++p)
        {
            const float b = tuileB[tx][p];
            #pragma unroll
            for (int q = 0; q < PARFIL; ++q)
                somme[q] += tuileA[ty + q * RANGS][p] * b;
        }
        __syncthreads();
    }

    const int colonne = colonne0 + tx;
    if (colonne < n)
    {
        #pragma unroll
        for (int q = 0; q < PARFIL; ++q)
        {
            const int ligne = ligne0 + ty + q * RANGS;
            if (ligne < m)
                C[(size_t)ligne * n + colonne] = somme[q];
        }
    }
}
