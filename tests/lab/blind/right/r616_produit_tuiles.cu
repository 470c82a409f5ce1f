/* TP 3 - produit de matrices par tuiles
 * C (n x p) = A (n x m) * B (m x p), rangées ligne par ligne, n, m, p quelconques de 1 à un million
 * bloc de 32 x 8 fils, chaque fil calcule 4 éléments d'une même colonne
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TUILE   32
#define PAR_FIL 4
#define HAUT    (TUILE / PAR_FIL)

__global__ void produit(const float *A, const float *B, float *C, int n, int m, int p)
{
    __shared__ float tA[TUILE][TUILE];
    __shared__ float tB[TUILE][TUILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int col  = blockIdx.x * TUILE + tx;
    const int lig0 = blockIdx.y * TUILE + ty;

    float somme[PAR_FIL];
    for (int i = 0; i < PAR_FIL; ++i)
        somme[i] = 0.0f;

    for (int debut = 0; debut < m; debut += TUILE) {
        for (int i = 0; i < PAR_FIL; ++i) {
            int l    = ty + i * HAUT;
            int ligA = lig0 + i * HAUT;
            int colA = debut + tx;
            int ligB = debut + l;
            tA[l][tx] = (ligA < n && colA < m) ? A[(size_t)ligA * m + colA] : 0.0f;
            tB[l][tx] = (ligB < m && col < p)  ? B[(size_t)ligB * p + col]  : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < TUILE; ++k) {
            float b = tB[k][tx];
            for (int i = 0; i < PAR_FIL; ++i)
                somme[i] += tA[ty + i * HAUT][k] * b;
        }
        __syncthreads();
    }

    if (col < p)
        for (int i = 0; i < PAR_FIL; ++i) {
            int lig = lig0 + i * HAUT;
            if (lig < n)
                C[(size_t)lig * p + col] = somme[i];
        }
}

static void verifier(cudaError_t e, int ligne)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "erreur CUDA ligne %d : %s\n", ligne, cudaGetErrorString(e));
        exit(1);
    }
}
#define V(x) verifier((x), __LINE__)

int main(void)
{
    const int n = 131, m = 77, p = 205;
    size_t oA = (size_t)n * m * sizeof(float);
    size_t oB = (size_t)m * p * sizeof(float);
    size_t oC = (size_t)n * p * sizeof(float);
    float *hA = (float *)malloc(oA), *hB = (float *)malloc(oB), *hC = (float *)malloc(oC);
    for (int i = 0; i < n * m; ++i) hA[i] = (float)(rand() % 21 - 10);
    for (int i = 0; i < m * p; ++i) hB[i] = (float)(rand() % 21 - 10);

    float *dA, *dB, *dC;
    V(cudaMalloc((void **)&dA, oA));
    V(cudaMalloc((void **)&dB, oB));
    V(cudaMalloc((void **)&dC, oC));
    V(cudaMemcpy(dA, hA, oA, cudaMemcpyHostToDevice));
    V(cudaMemcpy(dB, hB, oB, cudaMemcpyHostToDevice));

    dim3 bloc(TUILE, HAUT);
    dim3 grille((p + TUILE - 1) / TUILE, (n + TUILE - 1) / TUILE);
    produit<<<grille, bloc>>>(dA, dB, dC, n, m, p);
    V(cudaGetLastError());
    V(cudaMemcpy(hC, dC, oC, cudaMemcpyDeviceToHost));

    int fautes = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < p; ++j) {
            float ref = 0.0f;
            for (int k = 0; k < m; ++k) ref += hA[i * m + k] * hB[k * p + j];
            if (fabsf(ref - hC[i * p + j]) > 0.01f) ++fautes;
        }
    printf("%d faute(s)\n", fautes);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return fautes != 0;
}
