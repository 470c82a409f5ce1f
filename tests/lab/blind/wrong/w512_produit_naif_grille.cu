/* TP1 : produit de matrices, un thread par coefficient de C.
   Utilisation : ./tp1 lignesA colonnesA colonnesB   (valeurs quelconques > 0) */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define BLOC_X 16
#define BLOC_Y 32

__global__ void produit(int *A, int *B, int *C, int la, int ca, int cb)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < la && j < cb)
    {
        int somme = 0;
        for (int k = 0; k < ca; k++)
            somme = somme + A[i * ca + k] * B[k * cb + j];
        C[i * cb + j] = somme;
    }
}

void remplir(int *t, int n)
{
    for (int i = 0; i < n; i++)
        t[i] = rand() % 10;
}

int main(int argc, char **argv)
{
    int la = 128, ca = 128, cb = 128;
    if (argc == 4)
    {
        la = atoi(argv[1]);
        ca = atoi(argv[2]);
        cb = atoi(argv[3]);
    }

    int *A = (int *)malloc(la * ca * sizeof(int));
    int *B = (int *)malloc(ca * cb * sizeof(int));
    int *C = (int *)malloc(la * cb * sizeof(int));
    remplir(A, la * ca);
    remplir(B, ca * cb);

    int *A_d, *B_d, *C_d;
    cudaMalloc((void **)&A_d, la * ca * sizeof(int));
    cudaMalloc((void **)&B_d, ca * cb * sizeof(int));
    cudaMalloc((void **)&C_d, la * cb * sizeof(int));
    cudaMemcpy(A_d, A, la * ca * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(B_d, B, ca * cb * sizeof(int), cudaMemcpyHostToDevice);

    /* assez de blocs pour couvrir toute la matrice C, au moins un */
    int gx = cb / BLOC_X;
    int gy = (la + BLOC_Y - 1) / BLOC_Y;
    if (gx == 0) gx = 1;
    dim3 grille(gx, gy);
    dim3 bloc(BLOC_X, BLOC_Y);
    produit<<<grille, bloc>>>(A_d, B_d, C_d, la, ca, cb);
    cudaDeviceSynchronize();

    cudaMemcpy(C, C_d, la * cb * sizeof(int), cudaMemcpyDeviceToHost);

    /* on verifie la premiere ligne seulement, sinon c'est trop long */
    int ok = 1;
    for (int j = 0; j < cb; j++)
    {
        int s = 0;
        for (int k = 0; k < ca; k++)
            s += A[k] * B[k * cb + j];
        if (s != C[j])
            ok = 0;
    }
    printf(ok ? "Resultat correct\n" : "Resultat faux\n");

    cudaFree(A_d);
    cudaFree(B_d);
    cudaFree(C_d);
    free(A);
    free(B);
    free(C);
    return 0;
}
