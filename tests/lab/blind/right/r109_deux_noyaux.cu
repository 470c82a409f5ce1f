// TP CUDA : produit matriciel, version naïve et version par tuiles
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TUILE 16

__global__ void produitNaif(const float *a, const float *b, float *c, int lignes, int interne, int colonnes)
{
    int lig = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (lig >= lignes || col >= colonnes)
        return;                       // pas de barrière dans ce noyau
    float somme = 0.f;
    for (int k = 0; k < interne; k++)
        somme += a[lig * interne + k] * b[k * colonnes + col];
    c[lig * colonnes + col] = somme;
}

__global__ void produitTuile(const float *a, const float *b, float *c, int lignes, int interne, int colonnes)
{
    __shared__ float ta[TUILE][TUILE], tb[TUILE][TUILE];

    int lig = blockIdx.y * TUILE + threadIdx.y;
    int col = blockIdx.x * TUILE + threadIdx.x;
    bool dedans = lig < lignes && col < colonnes;

    float somme = 0.f;
    for (int t = 0; t < (interne - 1) / TUILE + 1; t++) {
        int ka = t * TUILE + threadIdx.x;
        int kb = t * TUILE + threadIdx.y;

        ta[threadIdx.y][threadIdx.x] = 0.f;
        tb[threadIdx.y][threadIdx.x] = 0.f;
        if (lig < lignes && ka < interne)
            ta[threadIdx.y][threadIdx.x] = a[lig * interne + ka];
        if (kb < interne && col < colonnes)
            tb[threadIdx.y][threadIdx.x] = b[kb * colonnes + col];
        __syncthreads();

        if (dedans)
            for (int k = 0; k < TUILE; k++)
                somme += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    if (dedans)
        c[lig * colonnes + col] = somme;
}

int main(void)
{
    int lignes = 90, interne = 41, colonnes = 67;
    size_t oa = lignes * interne * sizeof(float);
    size_t ob = interne * colonnes * sizeof(float);
    size_t oc = lignes * colonnes * sizeof(float);

    float *a = (float*)malloc(oa), *b = (float*)malloc(ob);
    float *c1 = (float*)malloc(oc), *c2 = (float*)malloc(oc);
    for (int i = 0; i < lignes * interne; i++) a[i] = sinf(i);
    for (int i = 0; i < interne * colonnes; i++) b[i] = cosf(i);

    float *da, *db, *dc;
    cudaMalloc((void**)&da, oa); cudaMalloc((void**)&db, ob); cudaMalloc((void**)&dc, oc);
    cudaMemcpy(da, a, oa, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, ob, cudaMemcpyHostToDevice);

    dim3 bloc(TUILE, TUILE);
    dim3 grille((colonnes + TUILE - 1) / TUILE, (lignes + TUILE - 1) / TUILE);

    produitNaif<<<grille, bloc>>>(da, db, dc, lignes, interne, colonnes);
    cudaMemcpy(c1, dc, oc, cudaMemcpyDeviceToHost);
    cudaMemset(dc, 0, oc);
    produitTuile<<<grille, bloc>>>(da, db, dc, lignes, interne, colonnes);
    cudaMemcpy(c2, dc, oc, cudaMemcpyDeviceToHost);

    int fautes = 0;
    for (int i = 0; i < lignes; i++)
        for (int j = 0; j < colonnes; j++) {
            float s = 0;
            for (int k = 0; k < interne; k++) s += a[i * interne + k] * b[k * colonnes + j];
            if (fabsf(s - c1[i * colonnes + j]) > 1e-3f) fautes++;
            if (fabsf(s - c2[i * colonnes + j]) > 1e-3f) fautes++;
        }
    printf("%s (%d fautes)\n", fautes ? "ECHEC" : "REUSSI", fautes);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c1); free(c2);
    return fautes != 0;
}
