#include <cstdio>
#include <cuda_runtime.h>

// Version atomique : chaque thread calcule un element du produit complet
// et l'ajoute a la case (ligne/2, colonne/2) de C (mise a zero par l'hote).
__global__ void reduitAtomique(const int *A, const int *B, int *C, int m, int n, int p)
{
    int colonne = threadIdx.x + blockIdx.x * blockDim.x;
    int ligne = threadIdx.y + blockIdx.y * blockDim.y;

    // m et n pairs
    if (ligne < m && colonne < n) {
        int produit = 0;
        for (int k = 0; k < p; k++)
            produit += A[ligne * p + k] * B[k * n + colonne];
        atomicAdd(&C[(ligne / 2) * (n / 2) + colonne / 2], produit);
    }
}

int main()
{
    const int m = 18, n = 28, p = 23;
    int *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(int));
    cudaMallocManaged(&B, p * n * sizeof(int));
    cudaMallocManaged(&C, m * n / 4 * sizeof(int));
    for (int i = 0; i < m * p; i++) A[i] = i % 10 - 5;
    for (int i = 0; i < p * n; i++) B[i] = i % 6 - 2;
    cudaMemset(C, 0, m * n / 4 * sizeof(int));

    dim3 bloc(8, 32);
    dim3 grille((n + bloc.x - 1) / bloc.x, (m + bloc.y - 1) / bloc.y);
    reduitAtomique<<<grille, bloc>>>(A, B, C, m, n, p);
    cudaDeviceSynchronize();

    int faux = 0;
    for (int i = 0; i < m / 2; i++)
        for (int j = 0; j < n / 2; j++) {
            int s = 0;
            for (int k = 0; k < p; k++)
                s += (A[2 * i * p + k] + A[(2 * i + 1) * p + k]) * (B[k * n + 2 * j] + B[k * n + 2 * j + 1]);
            faux += s != C[i * (n / 2) + j];
        }
    printf("%d erreurs\n", faux);
    return 0;
}
