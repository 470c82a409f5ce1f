/*
 * TP n°3 - Produit scalaire de deux vecteurs
 * Réduction en arbre dans la mémoire partagée, la somme finale est faite sur l'hôte.
 * N quelconque (de 1 à deux milliards, l'indice est un int).
 */
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

const int NB_FILS = 128;      // puissance de deux

__global__ void produitPartiel(const float *x, const float *y, float *partiel, int N)
{
    __shared__ float cache[NB_FILS];
    int fil = threadIdx.x;
    int i = blockIdx.x * blockDim.x + fil;

    float temp = 0.f;
    while (i < N) {
        temp += x[i] * y[i];
        i += blockDim.x * gridDim.x;
    }
    cache[fil] = temp;
    __syncthreads();

    for (int moitie = NB_FILS / 2; moitie >= 1; moitie /= 2) {
        if (fil < moitie)
            cache[fil] += cache[fil + moitie];
        __syncthreads();
    }

    if (fil == 0)
        partiel[blockIdx.x] = cache[0];
}

int main()
{
    const int N = 1000003;
    int nbBlocs = (N + NB_FILS - 1) / NB_FILS;
    if (nbBlocs > 320) nbBlocs = 320;

    std::vector<float> x(N), y(N), partiel(nbBlocs);
    for (int i = 0; i < N; i++) {
        x[i] = 1.0f / (1 + i % 10);
        y[i] = (i % 2) ? 2.0f : 0.5f;
    }

    float *d_x = nullptr, *d_y = nullptr, *d_p = nullptr;
    cudaMalloc((void **)&d_x, N * sizeof(float));
    cudaMalloc((void **)&d_y, N * sizeof(float));
    cudaMalloc((void **)&d_p, nbBlocs * sizeof(float));
    cudaMemcpy(d_x, x.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y.data(), N * sizeof(float), cudaMemcpyHostToDevice);

    produitPartiel<<<nbBlocs, NB_FILS>>>(d_x, d_y, d_p, N);

    // cudaMemcpy attend la fin du noyau
    cudaMemcpy(partiel.data(), d_p, nbBlocs * sizeof(float), cudaMemcpyDeviceToHost);

    double somme = 0.0;
    for (int b = 0; b < nbBlocs; b++)
        somme += partiel[b];

    double attendu = 0.0;
    for (int i = 0; i < N; i++)
        attendu += (double)x[i] * y[i];

    std::cout << "GPU : " << somme << "   CPU : " << attendu << std::endl;

    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_p);
    return 0;
}
