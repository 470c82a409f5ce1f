// TP 4 : multiplication par tuiles rectangulaires
// bloc = (LARG, HAUT) = (8, 32), profondeur de tuile PROF = 16
#define HAUT 32
#define LARG 8
#define PROF 16

__global__ void multRect(const double *a, const double *b, double *c,
                         int m, int n, int p)   // a: m x p, b: p x n, c: m x n
{
    __shared__ double ta[HAUT][PROF];
    __shared__ double tb[PROF][LARG];

    int lig = blockIdx.y * HAUT + threadIdx.y;
    int col = blockIdx.x * LARG + threadIdx.x;
    int id = threadIdx.y * LARG + threadIdx.x;    // 0 .. 255
    double somme = 0.0;

    for (int debut = 0; debut < p; debut += PROF) {
        // 512 elements de a : deux par thread
        for (int e = id; e < HAUT * PROF; e += HAUT * LARG) {
            int i = e / PROF;
            int k = e % PROF;
            int gi = blockIdx.y * HAUT + i;
            if (gi < m && debut + k < p)
                ta[i][k] = a[gi * p + debut + k];
            else
                ta[i][k] = 0.0;
        }
        // 128 elements de b : seule la moitie des threads charge
        if (id < PROF * LARG) {
            int k = id / LARG;
            int j = id % LARG;
            int gj = blockIdx.x * LARG + j;
            tb[k][j] = (debut + k < p && gj < n) ? b[(debut + k) * n + gj] : 0.0;
        }
        __syncthreads();
        for (int k = 0; k < PROF; k++)
            somme += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    if (lig < m && col < n)
        c[lig * n + col] = somme;
}

void lancer(const double *a, const double *b, double *c, int m, int n, int p)
{
    dim3 bloc(LARG, HAUT);
    dim3 grille((n + LARG - 1) / LARG, (m + HAUT - 1) / HAUT);
    multRect<<<grille, bloc>>>(a, b, c, m, n, p);
}
