#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

// C (m x n) = A (m x k) * transposée de B, où B est rangée n x k.
// Les deux opérandes se lisent donc le long de k, par lignes contiguës.
const int COTE = 16;

__global__ void produitABt(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float tuileA[COTE][COTE];
    __shared__ float tuileB[COTE][COTE + 1];   // +1 : évite les conflits de bancs

    int ligne   = blockIdx.y * COTE + threadIdx.y;
    int colonne = blockIdx.x * COTE + threadIdx.x;
    int ligneB  = blockIdx.x * COTE + threadIdx.y;  // ligne de B chargée par ce fil

    float somme = 0.0f;
    int nbTuiles = (k + COTE - 1) / COTE;
    for (int t = 0; t < nbTuiles; ++t) {
        int kk = t * COTE + threadIdx.x;
        tuileA[threadIdx.y][threadIdx.x] = (ligne < m && kk < k) ? A[ligne * k + kk] : 0.0f;
        tuileB[threadIdx.y][threadIdx.x] = (ligneB < n && kk < k) ? B[ligneB * k + kk] : 0.0f;
        __syncthreads();

        for (int p = 0; p < COTE; ++p)
            somme += tuileA[threadIdx.y][p] * tuileB[threadIdx.x][p];
        __syncthreads();
    }
    if (ligne < m && colonne < n)
        C[ligne * n + colonne] = somme;
}

static void remplir(float* v, int taille)
{
    for (int i = 0; i < taille; ++i) v[i] = rand() / (float)RAND_MAX - 0.5f;
}

int main()
{
    const int m = 61, n = 110, k = 83;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * k * sizeof(float));
    cudaMallocManaged(&B, n * k * sizeof(float));
    cudaMallocManaged(&C, m * n * sizeof(float));
    remplir(A, m * k);
    remplir(B, n * k);

    dim3 bloc(COTE, COTE);
    dim3 grille((n + COTE - 1) / COTE, (m + COTE - 1) / COTE);
    produitABt<<<grille, bloc>>>(A, B, C, m, n, k);
    cudaDeviceSynchronize();

    float ecart = 0.0f;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0.0;
            for (int p = 0; p < k; ++p) s += (double)A[i * k + p] * B[j * k + p];
            ecart = fmaxf(ecart, fabsf((float)s - C[i * n + j]));
        }
    printf("écart maximal : %g\n", ecart);

    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return ecart < 1e-4f ? 0 : 1;
}
