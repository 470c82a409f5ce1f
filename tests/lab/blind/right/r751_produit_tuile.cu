// Produit de matrices C = A * B (float, stockage par lignes)
// A : m x k, B : k x n, C : m x n, tailles quelconques (>= 1)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define TUILE 16

#define VERIF(appel)                                                        \
    do {                                                                    \
        cudaError_t e_ = (appel);                                           \
        if (e_ != cudaSuccess) {                                            \
            fprintf(stderr, "%s:%d : %s FAILED\n", __FILE__, __LINE__,      \
                    cudaGetErrorString(e_));                                \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

__global__ void produit(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float tA[TUILE][TUILE];
    __shared__ float tB[TUILE][TUILE];

    int lig = blockIdx.y * TUILE + threadIdx.y;
    int col = blockIdx.x * TUILE + threadIdx.x;
    float somme = 0.0f;

    int nbTuiles = (k + TUILE - 1) / TUILE;
    for (int t = 0; t < nbTuiles; ++t) {
        int ca = t * TUILE + threadIdx.x;   // colonne dans A
        int lb = t * TUILE + threadIdx.y;   // ligne dans B
        tA[threadIdx.y][threadIdx.x] = (lig < m && ca < k) ? A[lig * k + ca] : 0.0f;
        tB[threadIdx.y][threadIdx.x] = (lb < k && col < n) ? B[lb * n + col] : 0.0f;
        __syncthreads();

        for (int p = 0; p < TUILE; ++p)
            somme += tA[threadIdx.y][p] * tB[p][threadIdx.x];
        __syncthreads();   // avant d'ecraser les tuiles
    }

    if (lig < m && col < n)
        C[lig * n + col] = somme;
}

int main()
{
    const int m = 83, k = 57, n = 101;
    std::vector<float> hA(m * k), hB(k * n), hC(m * n);
    for (auto &v : hA) v = (rand() % 200 - 100) / 50.0f;
    for (auto &v : hB) v = (rand() % 200 - 100) / 50.0f;

    float *dA, *dB, *dC;
    VERIF(cudaMalloc(&dA, hA.size() * sizeof(float)));
    VERIF(cudaMalloc(&dB, hB.size() * sizeof(float)));
    VERIF(cudaMalloc(&dC, hC.size() * sizeof(float)));
    VERIF(cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 bloc(TUILE, TUILE);
    dim3 grille((n + TUILE - 1) / TUILE, (m + TUILE - 1) / TUILE);
    produit<<<grille, bloc>>>(dA, dB, dC, m, k, n);
    VERIF(cudaGetLastError());
    VERIF(cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double erreurMax = 0.0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double ref = 0.0;
            for (int p = 0; p < k; ++p)
                ref += (double)hA[i * k + p] * hB[p * n + j];
            erreurMax = fmax(erreurMax, fabs(ref - hC[i * n + j]));
        }
    cudaFree(dA); cudaFree(dB); cudaFree(dC);

    bool bon = erreurMax < 1e-3;
    printf("produit %dx%dx%d, erreur max %g : %s\n", m, k, n, erreurMax, bon ? "OK" : "FAILED");
    return bon ? 0 : 1;
}
