// y = A x : un warp par ligne, plusieurs lignes par warp si la grille est trop petite.
// A : lignes x colonnes, stockee par lignes, tailles quelconques.
#include <cmath>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

#define TAILLE_WARP 32

__global__ void matVec(const float *__restrict__ A, const float *__restrict__ x,
                       float *__restrict__ y, int lignes, int colonnes)
{
    const int voie = threadIdx.x;                                  // 0..31
    const int warp = blockIdx.x * blockDim.y + threadIdx.y;
    const int nbWarps = gridDim.x * blockDim.y;

    for (int l = warp; l < lignes; l += nbWarps) {
        const float *ligne = A + (size_t)l * colonnes;
        float s = 0.0f;
        for (int c = voie; c < colonnes; c += TAILLE_WARP)
            s += ligne[c] * x[c];
        for (int d = TAILLE_WARP / 2; d > 0; d >>= 1)
            s += __shfl_down_sync(0xffffffffu, s, d);
        if (voie == 0)
            y[l] = s;
    }
}

template <typename T>
struct TamponGpu {
    T *p = nullptr;
    size_t n;
    explicit TamponGpu(size_t n_) : n(n_) { cudaMalloc(&p, n * sizeof(T)); }
    ~TamponGpu() { cudaFree(p); }
    void envoyer(const std::vector<T> &v) { cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice); }
    void recevoir(std::vector<T> &v) { cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); }
};

int main()
{
    const int lignes = 203, colonnes = 317;
    std::vector<float> A((size_t)lignes * colonnes), x(colonnes), y(lignes, 0.0f);
    for (size_t i = 0; i < A.size(); ++i) A[i] = 0.5f - (i % 37) / 37.0f;
    for (int i = 0; i < colonnes; ++i) x[i] = (i % 12) / 6.0f;

    TamponGpu<float> dA(A.size()), dx(x.size()), dy(y.size());
    dA.envoyer(A);
    dx.envoyer(x);

    dim3 bloc(TAILLE_WARP, 4);
    matVec<<<20, bloc>>>(dA.p, dx.p, dy.p, lignes, colonnes);   // 80 warps pour 203 lignes
    if (cudaDeviceSynchronize() != cudaSuccess) {
        std::cout << "erreur CUDA FAILED\n";
        return 1;
    }
    dy.recevoir(y);

    bool juste = true;
    for (int l = 0; l < lignes; ++l) {
        double r = 0.0;
        for (int c = 0; c < colonnes; ++c)
            r += (double)A[(size_t)l * colonnes + c] * x[c];
        if (!(std::fabs(r - y[l]) < 1e-3)) juste = false;
    }
    std::cout << "matrice-vecteur : " << (juste ? "OK" : "FAILED") << std::endl;
    return juste ? 0 : 1;
}
