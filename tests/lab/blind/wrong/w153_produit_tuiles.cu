/*
 * TP CUDA n°3 : produit de matrices carrées avec mémoire partagée
 * Taille quelconque n (pas forcément multiple de la tuile)
 */
#include <stdio.h>
#include <stdlib.h>

#define TUILE 16

#define VERIF(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    fprintf(stderr, "erreur CUDA : %s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void produit(int n, const float *a, const float *b, float *c)
{
    __shared__ float ta[TUILE][TUILE];
    __shared__ float tb[TUILE][TUILE];

    int lig = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    // les threads hors de la matrice ne font rien
    if (lig >= n || col >= n)
        return;

    float acc = 0.f;

    for (int t = 0; t < (n + TUILE - 1) / TUILE; t++) {
        int ka = t * TUILE + threadIdx.x;
        int kb = t * TUILE + threadIdx.y;

        ta[threadIdx.y][threadIdx.x] = ka < n ? a[lig * n + ka] : 0.f;
        tb[threadIdx.y][threadIdx.x] = kb < n ? b[kb * n + col] : 0.f;
        __syncthreads();

        int kmax = n - t * TUILE;
        if (kmax > TUILE) kmax = TUILE;
        for (int k = 0; k < kmax; k++)
            acc += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }

    c[lig * n + col] = acc;
}

int main(void)
{
    const int n = 200;
    size_t taille = n * n * sizeof(float);
    float *ha = (float *)malloc(taille), *hb = (float *)malloc(taille), *hc = (float *)malloc(taille);
    for (int i = 0; i < n * n; i++) { ha[i] = (i % 7) - 3; hb[i] = (i % 5) - 2; }

    float *da, *db, *dc;
    VERIF(cudaMalloc((void **)&da, taille));
    VERIF(cudaMalloc((void **)&db, taille));
    VERIF(cudaMalloc((void **)&dc, taille));
    VERIF(cudaMemcpy(da, ha, taille, cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(db, hb, taille, cudaMemcpyHostToDevice));

    dim3 bloc(TUILE, TUILE);
    dim3 grille((n + TUILE - 1) / TUILE, (n + TUILE - 1) / TUILE);
    produit<<<grille, bloc>>>(n, da, db, dc);
    VERIF(cudaGetLastError());
    VERIF(cudaMemcpy(hc, dc, taille, cudaMemcpyDeviceToHost));

    int faux = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.f;
            for (int k = 0; k < n; k++) s += ha[i * n + k] * hb[k * n + j];
            if (s != hc[i * n + j]) faux++;
        }
    printf("%d valeurs fausses\n", faux);

    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(ha); free(hb); free(hc);
    return faux != 0;
}
