/* TP1 : produit d'entiers, version naive, une boucle sur les elements de C */
#include <stdio.h>
#include <stdlib.h>

#define EL(mat, larg, i, j) ((mat)[(i) * (larg) + (j)])
#define PLAFOND(a, b) (((a) + (b) - 1) / (b))
#define VERIF(appel)                                                     \
    do {                                                                 \
        cudaError_t e_ = (appel);                                        \
        if (e_ != cudaSuccess) {                                         \
            fprintf(stderr, "ligne %d : %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                     \
        }                                                                \
    } while (0)

/* C (h x l) = A (h x p) * B (p x l) */
__global__ void produitEntier(int *C, const int *A, const int *B, int h, int p, int l)
{
    int total = h * l;
    int pas = gridDim.x * blockDim.x;
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < total; e += pas) {
        int i = e / l;
        int j = e % l;
        int s = 0;
        for (int q = 0; q < p; q++)
            s += EL(A, p, i, q) * EL(B, l, q, j);
        EL(C, l, i, j) = s;
    }
}

int main(void)
{
    int h = 37, p = 90, l = 64;
    int *A = (int *)malloc(h * p * sizeof(int));
    int *B = (int *)malloc(p * l * sizeof(int));
    int *C = (int *)malloc(h * l * sizeof(int));
    for (int x = 0; x < h * p; x++) A[x] = rand() % 21 - 10;
    for (int x = 0; x < p * l; x++) B[x] = rand() % 21 - 10;

    int *gA, *gB, *gC;
    VERIF(cudaMalloc((void **)&gA, h * p * sizeof(int)));
    VERIF(cudaMalloc((void **)&gB, p * l * sizeof(int)));
    VERIF(cudaMalloc((void **)&gC, h * l * sizeof(int)));
    VERIF(cudaMemcpy(gA, A, h * p * sizeof(int), cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(gB, B, p * l * sizeof(int), cudaMemcpyHostToDevice));

    /* au plus 8 blocs : chaque fil traite plusieurs elements */
    int blocs = PLAFOND(h * l, 192);
    if (blocs > 8) blocs = 8;
    produitEntier<<<blocs, 192>>>(gC, gA, gB, h, p, l);
    VERIF(cudaGetLastError());
    VERIF(cudaMemcpy(C, gC, h * l * sizeof(int), cudaMemcpyDeviceToHost));

    int faux = 0;
    for (int i = 0; i < h; i++)
        for (int j = 0; j < l; j++) {
            int s = 0;
            for (int q = 0; q < p; q++) s += EL(A, p, i, q) * EL(B, l, q, j);
            faux += (s != EL(C, l, i, j));
        }
    printf("%d element(s) faux\n", faux);
    cudaFree(gA); cudaFree(gB); cudaFree(gC);
    free(A); free(B); free(C);
    return faux != 0;
}
