/* TP CUDA : C = alpha * A * B + beta * C, stockage par colonnes
 * A : m x k, B : k x n, C : m x n, tailles quelconques */
#include <stdio.h>
#include <stdlib.h>

#define IDX(i, j, ld) ((i) + (j) * (ld))
#define COTE 16

__global__ void noyau(int m, int n, int k, double alpha, const double *A, const double *B,
                      double beta, double *C)
{
    int i = blockIdx.x * COTE + threadIdx.x;   /* ligne */
    int j = blockIdx.y * COTE + threadIdx.y;   /* colonne */
    if (i < m && j < n) {
        double s = 0.0;
        for (int l = 0; l < k; l++)
            s += A[IDX(i, l, m)] * B[IDX(l, j, k)];
        C[IDX(i, j, m)] = alpha * s + beta * C[IDX(i, j, m)];
    }
}

void produit(int m, int n, int k, double alpha, const double *A, const double *B, double beta, double *C)
{
    double *dA, *dB, *dC;
    cudaMalloc((void **)&dA, m * k * sizeof(double));
    cudaMalloc((void **)&dB, k * n * sizeof(double));
    cudaMalloc((void **)&dC, m * n * sizeof(double));
    cudaMemcpy(dA, A, m * k * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, k * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C, m * n * sizeof(double), cudaMemcpyHostToDevice);

    dim3 fils(COTE, COTE);
    dim3 grille((m + COTE - 1) / COTE, (n + COTE - 1) / COTE);
    noyau<<<grille, fils>>>(m, k, n, alpha, dA, dB, beta, dC);

    cudaMemcpy(C, dC, m * n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}

int main(void)
{
    int m = 120, n = 80, k = 100;
    double *A = (double *)malloc(m * k * sizeof(double));
    double *B = (double *)malloc(k * n * sizeof(double));
    double *C = (double *)calloc(m * n, sizeof(double));
    for (int p = 0; p < m * k; p++) A[p] = p % 8;
    for (int p = 0; p < k * n; p++) B[p] = p % 3;
    produit(m, n, k, 1.0, A, B, 0.0, C);
    printf("C(0,0) = %g   C(m-1,n-1) = %g\n", C[0], C[IDX(m - 1, n - 1, m)]);
    free(A); free(B); free(C);
    return 0;
}
