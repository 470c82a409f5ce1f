// Devoir 4 : produit reduit, version simple
// chaque thread calcule la somme d'un carre 2x2 du produit A.B
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define TESTE(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    fprintf(stderr, "%s (ligne %d)\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)

struct Dim { int m, k, n; };   // m et n pairs

__global__ void reduit(const float *A, const float *B, float *R, Dim d)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int rm = d.m / 2, rn = d.n / 2;
    if (i >= rm || j >= rn) return;

    float somme = 0.0f;
    for (int di = 0; di < 2; di++) {
        for (int dj = 0; dj < 2; dj++) {
            int ligne = 2 * i + di;
            int col = j + dj;
            for (int k = 0; k < d.k; k++)
                somme += A[ligne * d.k + k] * B[k * d.n + col];
        }
    }
    R[i * rn + j] = somme;
}

int main()
{
    Dim d = { 64, 45, 96 };
    int rm = d.m / 2, rn = d.n / 2;
    float *A, *B, *R;
    TESTE(cudaMallocManaged(&A, d.m * d.k * sizeof(float)));
    TESTE(cudaMallocManaged(&B, d.k * d.n * sizeof(float)));
    TESTE(cudaMallocManaged(&R, rm * rn * sizeof(float)));
    for (int i = 0; i < d.m * d.k; i++) A[i] = (float)(rand() % 8);
    for (int i = 0; i < d.k * d.n; i++) B[i] = (float)(rand() % 8);

    dim3 bloc(16, 16);
    dim3 grille((rn + 15) / 16, (rm + 15) / 16);
    reduit<<<grille, bloc>>>(A, B, R, d);
    TESTE(cudaGetLastError());
    TESTE(cudaDeviceSynchronize());

    int faux = 0;
    for (int i = 0; i < rm; i++)
        for (int j = 0; j < rn; j++) {
            float s = 0;
            for (int k = 0; k < d.k; k++)
                s += (A[2 * i * d.k + k] + A[(2 * i + 1) * d.k + k]) *
                     (B[k * d.n + 2 * j] + B[k * d.n + 2 * j + 1]);
            if (fabsf(s - R[i * rn + j]) > 0.5f) faux++;
        }
    printf("faux : %d / %d\n", faux, rm * rn);
    cudaFree(A); cudaFree(B); cudaFree(R);
    return 0;
}
