// Matrice rangee par colonnes (A[j*lignes + i]), un fil par ligne, x passe par morceaux
// en memoire partagee.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

constexpr int MORCEAU = 96;

__global__ void matvec(const float* A, const float* x, float* y, int lignes, int colonnes)
{
    __shared__ float xs[MORCEAU];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;

    for (int debut = 0; debut < colonnes; debut += MORCEAU) {
        int taille = min(MORCEAU, colonnes - debut);
        for (int j = threadIdx.x; j < taille; j += blockDim.x)
            xs[j] = x[debut + j];
        __syncthreads();
        if (i < lignes)
            for (int j = 0; j < taille; ++j)
                s += A[(size_t)(debut + j) * lignes + i] * xs[j];
        __syncthreads();
    }
    if (i < lignes) y[i] = s;
}

int main()
{
    int L = 301, C = 215, erreurs = 0;
    std::vector<float> A(L * C), x(C), y(L);
    for (int j = 0; j < C; ++j) {
        x[j] = (j % 9) - 4;
        for (int i = 0; i < L; ++i) A[j * L + i] = ((i + 3 * j) % 7) - 3;
    }
    float *dA, *dx, *dy;
    cudaMalloc(&dA, sizeof(float) * L * C);
    cudaMalloc(&dx, sizeof(float) * C);
    cudaMalloc(&dy, sizeof(float) * L);
    cudaMemcpy(dA, A.data(), sizeof(float) * L * C, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), sizeof(float) * C, cudaMemcpyHostToDevice);
    int fils = 64;
    matvec<<<(L + fils - 1) / fils, fils>>>(dA, dx, dy, L, C);
    cudaMemcpy(y.data(), dy, sizeof(float) * L, cudaMemcpyDeviceToHost);
    for (int i = 0; i < L; ++i) {
        float r = 0;
        for (int j = 0; j < C; ++j) r += A[j * L + i] * x[j];
        if (r != y[i]) ++erreurs;           // petits entiers, donc exact
    }
    printf("%d erreurs\n", erreurs);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    return erreurs ? 1 : 0;
}
