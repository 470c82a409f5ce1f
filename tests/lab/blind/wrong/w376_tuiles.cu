// Multiplication de matrices par tuiles en mémoire partagée.
// A : m x p, B : p x n, C : m x n (rangées par lignes, tailles > 0 quelconques).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TUILE 32

__global__ void multiplier(const float *A, const float *B, float *C, int m, int p, int n)
{
    __shared__ float tuileA[TUILE][TUILE];
    __shared__ float tuileB[TUILE][TUILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int ligne = blockIdx.y * TUILE + ty;
    int colonne = blockIdx.x * TUILE + tx;
    float somme = 0.f;

    int nbTuiles = (p + TUILE - 1) / TUILE;
    for (int t = 0; t < nbTuiles; ++t) {
        int kA = t * TUILE + tx;
        int kB = t * TUILE + ty;

        if (ligne < m && kA < p)
            tuileA[ty][tx] = A[ligne * p + kA];
        else
            tuileA[ty][tx] = 0.f;

        if (kB < p && colonne < n)
            tuileB[ty][tx] = B[kB * n + colonne];
        else
            tuileB[ty][tx] = 0.f;

        __syncthreads();

        for (int k = 0; k < TUILE; ++k)
            somme += tuileA[ty][k] * tuileB[k][tx];
    }

    if (ligne < m && colonne < n)
        C[ligne * n + colonne] = somme;
}

static void verifier(cudaError_t e, const char *quoi)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s : %s\n", quoi, cudaGetErrorString(e));
        exit(1);
    }
}

int main()
{
    const int m = 300, p = 450, n = 170;
    float *A, *B, *C;
    verifier(cudaMallocManaged(&A, sizeof(float) * m * p), "A");
    verifier(cudaMallocManaged(&B, sizeof(float) * p * n), "B");
    verifier(cudaMallocManaged(&C, sizeof(float) * m * n), "C");

    for (int i = 0; i < m * p; ++i) A[i] = (float)(i % 9) - 4.f;
    for (int i = 0; i < p * n; ++i) B[i] = (float)(i % 7) - 3.f;

    dim3 bloc(TUILE, TUILE);
    dim3 grille((n + TUILE - 1) / TUILE, (m + TUILE - 1) / TUILE);
    multiplier<<<grille, bloc>>>(A, B, C, m, p, n);
    verifier(cudaGetLastError(), "lancement");
    verifier(cudaDeviceSynchronize(), "exécution");

    int faux = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float attendu = 0.f;
            for (int k = 0; k < p; ++k)
                attendu += A[i * p + k] * B[k * n + j];
            if (fabsf(attendu - C[i * n + j]) > 1e-2f)
                ++faux;
        }
    printf("%d valeurs fausses\n", faux);

    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return faux != 0;
}
