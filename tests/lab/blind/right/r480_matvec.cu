// y = A x, un warp par ligne. A est rangee par lignes (lignes x colonnes).
// Lancement : bloc (32, 8), grille ceil(lignes / 8).
__global__ void mat_vec(const float *A, const float *x, float *y, int lignes, int colonnes)
{
    int ligne = blockIdx.x * blockDim.y + threadIdx.y;
    if (ligne >= lignes) return;          // tout le warp sort ensemble

    float s = 0.f;
    for (int j = threadIdx.x; j < colonnes; j += 32)
        s += A[(size_t)ligne * colonnes + j] * x[j];

    for (int m = 16; m; m >>= 1)
        s += __shfl_xor_sync(0xffffffff, s, m);

    if (threadIdx.x == 0)
        y[ligne] = s;
}
