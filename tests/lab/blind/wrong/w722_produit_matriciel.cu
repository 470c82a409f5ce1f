/*
 * TP 3 : produit de matrices par tuiles, C = A x B
 * A : m x k, B : k x n, C : m x n, stockage par lignes, tailles quelconques
 */
#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr int COTE = 32;

static void verifier(cudaError_t e, const char* ou)
{
    if (e != cudaSuccess) {
        std::cerr << ou << " : " << cudaGetErrorString(e) << std::endl;
        std::exit(EXIT_FAILURE);
    }
}

__global__ void produit(const double* __restrict__ A, const double* __restrict__ B,
                        double* __restrict__ C, int m, int n, int k)
{
    __shared__ double tuileA[COTE][COTE];
    __shared__ double tuileB[COTE][COTE];

    const int lx = threadIdx.x;
    const int ly = threadIdx.y;
    const int ligne = blockIdx.y * COTE + ly;
    const int colonne = blockIdx.x * COTE + lx;

    double somme = 0.0;

    for (int debut = 0; debut < k; debut += COTE) {
        // chaque thread charge un element de chaque tuile
        if (ligne < m && debut + lx < k)
            tuileA[ly][lx] = A[ligne * k + debut + lx];
        if (debut + ly < k && colonne < n)
            tuileB[ly][lx] = B[(debut + ly) * n + colonne];
        __syncthreads();

        for (int q = 0; q < COTE; ++q)
            somme += tuileA[ly][q] * tuileB[q][lx];
        __syncthreads();
    }

    if (ligne < m && colonne < n)
        C[ligne * n + colonne] = somme;
}

int main(int argc, char** argv)
{
    int m = argc > 1 ? std::atoi(argv[1]) : 200;
    int k = argc > 2 ? std::atoi(argv[2]) : 150;
    int n = argc > 3 ? std::atoi(argv[3]) : 170;

    std::vector<double> hA(m * k), hB(k * n), hC(m * n);
    for (int i = 0; i < m * k; ++i) hA[i] = (i * 7 % 13) * 0.25;
    for (int i = 0; i < k * n; ++i) hB[i] = (i * 5 % 17) * 0.5 - 2.0;

    double *dA = nullptr, *dB = nullptr, *dC = nullptr;
    verifier(cudaMalloc(&dA, sizeof(double) * m * k), "malloc A");
    verifier(cudaMalloc(&dB, sizeof(double) * k * n), "malloc B");
    verifier(cudaMalloc(&dC, sizeof(double) * m * n), "malloc C");
    verifier(cudaMemcpy(dA, hA.data(), sizeof(double) * m * k, cudaMemcpyHostToDevice), "copie A");
    verifier(cudaMemcpy(dB, hB.data(), sizeof(double) * k * n, cudaMemcpyHostToDevice), "copie B");

    dim3 threads(COTE, COTE);
    dim3 blocs((n + COTE - 1) / COTE, (m + COTE - 1) / COTE);
    produit<<<blocs, threads>>>(dA, dB, dC, m, n, k);
    verifier(cudaGetLastError(), "lancement");
    verifier(cudaMemcpy(hC.data(), dC, sizeof(double) * m * n, cudaMemcpyDeviceToHost), "copie C");

    double ecartMax = 0.0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double ref = 0.0;
            for (int q = 0; q < k; ++q) ref += hA[i * k + q] * hB[q * n + j];
            ecartMax = std::max(ecartMax, std::fabs(ref - hC[i * n + j]));
        }
    std::cout << "ecart maximal : " << ecartMax << std::endl;

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return ecartMax < 1e-8 ? 0 : 1;
}
