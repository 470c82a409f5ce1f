// Produit C = A * B en double. Chaque thread calcule 4 lignes d'une colonne de C.
// Lancement : bloc (32, 8), grille (ceil(p / 32), ceil(n / 32)). Tailles quelconques.

constexpr int LARGEUR = 32;
constexpr int PAS     = 8;
constexpr int PAR_FIL = 4;   // LARGEUR = PAS * PAR_FIL

__global__ void produit_bande(int n, int m, int p,
                              const double* __restrict__ a,   // n x m
                              const double* __restrict__ b,   // m x p
                              double* __restrict__ c)         // n x p
{
    __shared__ double sa[LARGEUR][LARGEUR + 1];
    __shared__ double sb[LARGEUR][LARGEUR];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int colonne = blockIdx.x * LARGEUR + tx;
    const int ligne0  = blockIdx.y * LARGEUR;

    double acc[PAR_FIL] = {0.0, 0.0, 0.0, 0.0};

    for (int debut = 0; debut < m; debut += LARGEUR) {
        #pragma unroll
        for (int q = 0; q < PAR_FIL; q++) {
            int r = ty + q * PAS;
            double va = 0.0, vb = 0.0;
            if (ligne0 + r < n && debut + tx < m)
                va = a[(size_t)(ligne0 + r) * m + debut + tx];
            if (debut + r < m && colonne < p)
                vb = b[(size_t)(debut + r) * p + colonne];
            sa[r][tx] = va;
            sb[r][tx] = vb;
        }
        __syncthreads();

        for (int e = 0; e < LARGEUR; e++) {
            double vb = sb[e][tx];
            #pragma unroll
            for (int q = 0; q < PAR_FIL; q++)
                acc[q] += sa[ty + q * PAS][e] * vb;
        }
        __syncthreads();
    }

    if (colonne < p) {
        for (int q = 0; q < PAR_FIL; q++) {
            int ligne = ligne0 + ty + q * PAS;
            if (ligne < n)
                c[(size_t)ligne * p + colonne] = acc[q];
        }
    }
}
