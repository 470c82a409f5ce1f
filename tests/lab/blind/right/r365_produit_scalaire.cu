// TP 2 : produit scalaire de deux vecteurs.
// Réduction par échanges dans le warp, puis un atomicAdd par bloc.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

const int TAILLE_BLOC = 256;
const int NB_WARPS = TAILLE_BLOC / 32;

__inline__ __device__ double sommeWarp(double v)
{
    for (int decalage = 16; decalage > 0; decalage /= 2)
        v += __shfl_down_sync(0xffffffffu, v, decalage);
    return v;
}

__global__ void produitScalaire(const double* x, const double* y,
                                double* resultat, size_t n)
{
    __shared__ double partiels[NB_WARPS];

    double local = 0.0;
    size_t pas = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += pas)
        local += x[i] * y[i];

    local = sommeWarp(local);

    int voie = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    if (voie == 0)
        partiels[warp] = local;
    __syncthreads();

    // le premier warp termine le travail
    if (warp == 0) {
        double v = (voie < NB_WARPS) ? partiels[voie] : 0.0;
        v = sommeWarp(v);
        if (voie == 0)
            atomicAdd(resultat, v);
    }
}

int main(int argc, char** argv)
{
    long demande = (argc > 1) ? std::atol(argv[1]) : 1000003L;
    if (demande < 1) {
        std::puts("n doit être positif");
        return 1;
    }
    size_t n = (size_t)demande;

    std::vector<double> hx(n), hy(n);
    double attendu = 0.0, absolu = 0.0;
    for (size_t i = 0; i < n; ++i) {
        hx[i] = std::sin(0.001 * (double)i);
        hy[i] = 1.0 / (1.0 + (double)(i % 50));
        attendu += hx[i] * hy[i];
        absolu += std::fabs(hx[i] * hy[i]);
    }

    double *dx, *dy, *dres;
    if (cudaMalloc(&dx, n * sizeof(double)) != cudaSuccess ||
        cudaMalloc(&dy, n * sizeof(double)) != cudaSuccess ||
        cudaMalloc(&dres, sizeof(double)) != cudaSuccess) {
        std::puts("échec de l'allocation");
        return 1;
    }
    cudaMemcpy(dx, hx.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, hy.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(dres, 0, sizeof(double));

    size_t blocs = (n + TAILLE_BLOC - 1) / TAILLE_BLOC;
    if (blocs > 1024) blocs = 1024;
    produitScalaire<<<(unsigned)blocs, TAILLE_BLOC>>>(dx, dy, dres, n);

    double obtenu = 0.0;
    cudaError_t err = cudaMemcpy(&obtenu, dres, sizeof(double), cudaMemcpyDeviceToHost);
    if (err != cudaSuccess) {
        std::printf("erreur CUDA : %s\n", cudaGetErrorString(err));
        return 1;
    }

    bool ok = std::fabs(obtenu - attendu) <= 1e-10 * (1.0 + absolu);
    std::printf("attendu %.12g, obtenu %.12g : %s\n", attendu, obtenu, ok ? "correct" : "FAUX");

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dres);
    return ok ? 0 : 1;
}
