/* Produit C = A * B d'entiers.
   A : l x p, rangee par lignes.
   B : p x c, rangee par colonnes (B(q, j) se trouve en Bcol[j * p + q]).
   C : l x c, rangee par lignes.
   Bloc de 32 x 8 threads, tuile de 32 x 32 : chaque thread calcule 4 lignes.
   Grille : x pour les lignes de C, y pour ses colonnes. */

#define TUILE 32
#define HAUT  8
#define PAR_THREAD (TUILE / HAUT)

__global__ void produit_entiers(const int *A, const int *Bcol, int *C, int l, int p, int c)
{
    __shared__ int ta[TUILE][TUILE];
    __shared__ int tb[TUILE][TUILE + 1];   // tb[j][q]

    int ligne0 = blockIdx.x * TUILE;
    int col0   = blockIdx.y * TUILE;
    int s[PAR_THREAD];
    for (int u = 0; u < PAR_THREAD; u++) s[u] = 0;

    int nb = (p + TUILE - 1) / TUILE;
    for (int b = 0; b < nb; b++) {
        int q = b * TUILE + threadIdx.x;
        for (int v = threadIdx.y; v < TUILE; v += HAUT) {
            int i = ligne0 + v;
            int j = col0 + v;
            ta[v][threadIdx.x] = (i < l && q < p) ? A[i * p + q] : 0;
            tb[v][threadIdx.x] = (j < c && q < p) ? Bcol[j * p + q] : 0;
        }
        __syncthreads();
        for (int w = 0; w < TUILE; w++) {
            int y = tb[threadIdx.x][w];
            for (int u = 0; u < PAR_THREAD; u++)
                s[u] += ta[threadIdx.y + u * HAUT][w] * y;
        }
        __syncthreads();
    }

    int j = col0 + threadIdx.x;
    if (j < c)
        for (int u = 0; u < PAR_THREAD; u++) {
            int i = ligne0 + threadIdx.y + u * HAUT;
            if (i < l) C[i * c + j] = s[u];
        }
}

void lancer(const int *A, const int *Bcol, int *C, int l, int p, int c)
{
    dim3 bloc(TUILE, HAUT);
    dim3 grille((l + TUILE - 1) / TUILE, (c + TUILE - 1) / TUILE);
    produit_entiers<<<grille, bloc>>>(A, Bcol, C, l, p, c);
}
