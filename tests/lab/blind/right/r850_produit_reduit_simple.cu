/* TP CUDA, séance 4 : produit matriciel réduit.
   A : 2m x k, B : k x 2n (rangées par lignes). Le résultat C est m x n :
   C(i,j) = somme des quatre éléments de A*B dans le carré 2x2 en (2i, 2j). */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define VERIF(appel) do { cudaError_t e_ = (appel); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s ligne %d\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)

__global__ void produit_reduit(float *C, const float *A, const float *B, int m, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;   /* ligne de C   */
    int j = blockIdx.y * blockDim.y + threadIdx.y;   /* colonne de C */
    if (i >= m || j >= n) return;

    const float *haut = A + 2 * i * k;
    const float *bas  = haut + k;
    const float *b    = B + 2 * j;
    float s = 0.0f;
    for (int p = 0; p < k; p++) {
        s += (haut[p] + bas[p]) * (b[0] + b[1]);
        b += 2 * n;
    }
    C[i * n + j] = s;
}

int main(void)
{
    const int m = 37, n = 29, k = 53;
    size_t ta = 2 * m * k * sizeof(float), tb = 2 * n * k * sizeof(float), tc = m * n * sizeof(float);
    float *A = (float *)malloc(ta), *B = (float *)malloc(tb), *C = (float *)malloc(tc);
    for (int i = 0; i < 2 * m * k; i++) A[i] = rand() / (float)RAND_MAX - 0.5f;
    for (int i = 0; i < 2 * n * k; i++) B[i] = rand() / (float)RAND_MAX - 0.5f;

    float *gA, *gB, *gC;
    VERIF(cudaMalloc((void **)&gA, ta));
    VERIF(cudaMalloc((void **)&gB, tb));
    VERIF(cudaMalloc((void **)&gC, tc));
    VERIF(cudaMemcpy(gA, A, ta, cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(gB, B, tb, cudaMemcpyHostToDevice));

    dim3 bloc(8, 32), grille((m + 7) / 8, (n + 31) / 32);
    produit_reduit<<<grille, bloc>>>(gC, gA, gB, m, n, k);
    VERIF(cudaGetLastError());
    VERIF(cudaMemcpy(C, gC, tc, cudaMemcpyDeviceToHost));

    double pire = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double ref = 0;
            for (int di = 0; di < 2; di++)
                for (int dj = 0; dj < 2; dj++)
                    for (int p = 0; p < k; p++)
                        ref += (double)A[(2 * i + di) * k + p] * B[p * 2 * n + 2 * j + dj];
            pire = fmax(pire, fabs(ref - C[i * n + j]));
        }
    printf("écart maximal : %g\n", pire);
    free(A); free(B); free(C);
    cudaFree(gA); cudaFree(gB); cudaFree(gC);
    return pire < 1e-3 ? 0 : 1;
}
