// y = A x : un warp par ligne de A (m x n, par lignes).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define VERIF(appel) do { cudaError_t err = (appel); if (err != cudaSuccess) { \
    fprintf(stderr, "CUDA : %s (ligne %d)\n", cudaGetErrorString(err), __LINE__); \
    exit(1); } } while (0)

constexpr int TAILLE_WARP = 32;
constexpr int WARPS_PAR_BLOC = 4;

__global__ void matvec_warp(const float *__restrict__ A, const float *__restrict__ x,
                            float *__restrict__ y, int m, int n)
{
    // bloc de 32 x 4 : threadIdx.x est la voie, threadIdx.y le warp
    const int voie = threadIdx.x;
    const int pas = gridDim.x * blockDim.y;

    for (int ligne = blockIdx.x * blockDim.y + threadIdx.y; ligne < m; ligne += pas) {
        const float *a = A + (size_t)ligne * n;
        float somme = 0.0f;
        for (int j = voie; j < n; j += TAILLE_WARP)
            somme = fmaf(a[j], x[j], somme);

        for (int d = TAILLE_WARP / 2; d > 0; d >>= 1)
            somme += __shfl_xor_sync(0xffffffffu, somme, d);
        if (voie == 0)
            y[ligne] = somme;
    }
}

static void essai(int m, int n, double &pire, bool &bon)
{
    std::vector<float> A((size_t)m * n), x(n), y(m, 1e30f);
    for (auto &v : A) v = (float)(rand() % 100) / 50.0f - 1.0f;
    for (auto &v : x) v = (float)(rand() % 100) / 50.0f - 1.0f;

    float *dA, *dx, *dy;
    VERIF(cudaMalloc(&dA, A.size() * sizeof(float)));
    VERIF(cudaMalloc(&dx, n * sizeof(float)));
    VERIF(cudaMalloc(&dy, m * sizeof(float)));
    VERIF(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(dy, y.data(), m * sizeof(float), cudaMemcpyHostToDevice));

    dim3 bloc(TAILLE_WARP, WARPS_PAR_BLOC);
    int grille = (m + WARPS_PAR_BLOC - 1) / WARPS_PAR_BLOC;
    if (grille > 80) grille = 80;     // la boucle du noyau couvre le reste
    matvec_warp<<<grille, bloc>>>(dA, dx, dy, m, n);
    VERIF(cudaGetLastError());
    VERIF(cudaMemcpy(y.data(), dy, m * sizeof(float), cudaMemcpyDeviceToHost));

    for (int i = 0; i < m; i++) {
        double s = 0;
        for (int j = 0; j < n; j++) s += (double)A[(size_t)i * n + j] * x[j];
        double ecart = fabs(s - y[i]);
        if (!(ecart < 1e-3)) bon = false;
        if (ecart > pire) pire = ecart;
    }
    VERIF(cudaFree(dA));
    VERIF(cudaFree(dx));
    VERIF(cudaFree(dy));
}

int main()
{
    double pire = 0.0;
    bool bon = true;
    essai(1, 1, pire, bon);
    essai(13, 500, pire, bon);
    essai(1003, 77, pire, bon);
    printf("ecart maximal %.3e : %s\n", pire, bon ? "OK" : "FAILED");
    return bon ? 0 : 1;
}
