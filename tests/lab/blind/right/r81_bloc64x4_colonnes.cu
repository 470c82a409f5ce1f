// Multiplication de matrices : bloc de 64x4 fils, deux colonnes par fil.
// Le bloc couvre donc 4 lignes x 128 colonnes de C.
#include <cstdio>
#include <cstdlib>
#include <cmath>

enum { FX = 64, FY = 4, COLS = 2, PROF = 16, LARG = FX * COLS };

__global__ void mulMat(const float *matA, const float *matB, float *matC,
                       int nbLignes, int nbCommun, int nbColonnes)
{
    __shared__ float sa[FY][PROF];
    __shared__ float sb[PROF][LARG];

    const int fil     = threadIdx.y * FX + threadIdx.x;
    const int ligne0  = blockIdx.y * FY;
    const int colonne0 = blockIdx.x * LARG;

    float r0 = 0.f, r1 = 0.f;

    for (int d = 0; d < nbCommun; d += PROF) {
        // les 64 premiers fils chargent la bande de A
        if (fil < FY * PROF) {
            int l = fil / PROF, p = fil % PROF;
            bool dedans = (ligne0 + l < nbLignes) && (d + p < nbCommun);
            sa[l][p] = dedans ? matA[(ligne0 + l) * nbCommun + d + p] : 0.f;
        }
        // tous les fils chargent B
        for (int e = fil; e < PROF * LARG; e += FX * FY) {
            int p = e / LARG, c = e % LARG;
            bool dedans = (d + p < nbCommun) && (colonne0 + c < nbColonnes);
            sb[p][c] = dedans ? matB[(d + p) * nbColonnes + colonne0 + c] : 0.f;
        }
        __syncthreads();

        for (int p = 0; p < PROF; p++) {
            float a = sa[threadIdx.y][p];
            r0 += a * sb[p][threadIdx.x];
            r1 += a * sb[p][threadIdx.x + FX];
        }
        __syncthreads();
    }

    int ligne = ligne0 + threadIdx.y;
    int col = colonne0 + threadIdx.x;
    if (ligne < nbLignes) {
        if (col < nbColonnes)      matC[ligne * nbColonnes + col] = r0;
        if (col + FX < nbColonnes) matC[ligne * nbColonnes + col + FX] = r1;
    }
}

int main()
{
    int L = 30, K = 41, C = 150;
    float *a, *b, *c;
    cudaMallocManaged(&a, L * K * sizeof(float));
    cudaMallocManaged(&b, K * C * sizeof(float));
    cudaMallocManaged(&c, L * C * sizeof(float));
    for (int i = 0; i < L * K; i++) a[i] = sinf((float)i);
    for (int i = 0; i < K * C; i++) b[i] = cosf((float)i);

    dim3 grille((C + LARG - 1) / LARG, (L + FY - 1) / FY);
    mulMat<<<grille, dim3(FX, FY)>>>(a, b, c, L, K, C);
    cudaDeviceSynchronize();

    float ecart = 0.f;
    for (int i = 0; i < L; i++)
        for (int j = 0; j < C; j++) {
            float s = 0.f;
            for (int k = 0; k < K; k++) s += a[i * K + k] * b[k * C + j];
            ecart = fmaxf(ecart, fabsf(s - c[i * C + j]));
        }
    printf("ecart max = %g\n", ecart);
    cudaFree(a); cudaFree(b); cudaFree(c);
    return ecart < 1e-3f ? 0 : 1;
}
