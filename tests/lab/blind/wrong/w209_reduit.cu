#include <cstdio>
#include <cuda_runtime.h>

// Produit reduit en double precision, grille a pas (boucle sur les elements de C)
__global__ void produitReduit(const double *A, const double *B, double *C, int m, int n, int p)
{
    const int lignes = m / 2, colonnes = n / 2;
    const int pas = gridDim.x * blockDim.x;

    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < lignes * colonnes; e += pas) {
        const int i = e / colonnes;
        const int j = e % colonnes;
        double s = 0.0;
        for (int k = 0; k < p; ++k) {
            double gauche = A[2 * i * p + k] + A[(2 * i + 1) * p + k];
            double droite = B[k * n + 2 * j] + B[k * n + 2 * j + 1];
            s += gauche * droite;
        }
        C[i * n + j] = s;
    }
}

int main()
{
    const int m = 20, n = 30, p = 15;     // m et n pairs
    double *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(double));
    cudaMallocManaged(&B, p * n * sizeof(double));
    cudaMallocManaged(&C, (m / 2) * (n / 2) * sizeof(double));
    for (int i = 0; i < m * p; ++i) A[i] = 1.0;
    for (int i = 0; i < p * n; ++i) B[i] = 1.0;
    produitReduit<<<4, 64>>>(A, B, C, m, n, p);
    cudaDeviceSynchronize();
    printf("%g\n", C[(m / 2) * (n / 2) - 1]);
    return 0;
}
