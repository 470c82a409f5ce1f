/*
 * Produit réduit : chaque case de C est la somme d'un carré 2x2 du produit AB.
 *   C[i][j] = somme_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
 * lignes et colonnes sont pairs, interne est quelconque.
 * Lancement : bloc (16,16), grille (ceil(colonnes/2 / 16), ceil(lignes/2 / 16)).
 */
constexpr int T = 16;

__global__ void produit_reduit(const double *__restrict__ A, const double *__restrict__ B,
                               double *__restrict__ C, int lignes, int interne, int colonnes)
{
    __shared__ double a_somme[T][T];
    __shared__ double b_somme[T][T + 1];

    const int hl = lignes / 2;
    const int hc = colonnes / 2;
    const int i = blockIdx.y * T + threadIdx.y;
    const int j = blockIdx.x * T + threadIdx.x;

    double acc = 0.0;
    const int nb_tuiles = (interne + T - 1) / T;
    for (int t = 0; t < nb_tuiles; t++) {
        const int ka = t * T + threadIdx.x;
        const int kb = t * T + threadIdx.y;

        double va = 0.0, vb = 0.0;
        if (i < hl && ka < interne)
            va = A[(2 * i) * interne + ka] + A[(2 * i + 1) * interne + ka];
        if (j < hc && kb < interne)
            vb = B[kb * colonnes + 2 * j] + B[kb * colonnes + 2 * j + 1];
        a_somme[threadIdx.y][threadIdx.x] = va;
        b_somme[threadIdx.y][threadIdx.x] = vb;
        __syncthreads();

#pragma unroll
        for (int k = 0; k < T; k++)
            acc += a_somme[threadIdx.y][k] * b_somme[k][threadIdx.x];
        __syncthreads();
    }

    if (i < hl && j < hc)
        C[i * hc + j] = acc;
}
