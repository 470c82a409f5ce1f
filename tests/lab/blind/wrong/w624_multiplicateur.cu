// Produit C = A * B avec une forme de tuile choisie par l'utilisateur :
//   lignes x colonnes = forme du bloc (et de la tuile de C), prof = profondeur de la tuile
// Toutes formes admises tant que lignes * colonnes <= 1024 et que la mémoire partagée suffit (48 Kio).
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

namespace {

__global__ void __launch_bounds__(1024)
noyauProduit(const float* A, const float* B, float* C, int M, int N, int K, int prof)
{
    extern __shared__ float reserve[];
    const int nl = blockDim.y, nc = blockDim.x;
    float* tA = reserve;               // nl x prof
    float* tB = reserve + nl * prof;   // prof x nc

    const int i = blockIdx.y * nl + threadIdx.y;
    const int j = blockIdx.x * nc + threadIdx.x;
    float s = 0.f;

    for (int k0 = 0; k0 < K; k0 += prof) {
        for (int c = threadIdx.x; c < prof; c += nc)
            tA[threadIdx.y * prof + c] =
                (i < M && k0 + c < K) ? A[static_cast<size_t>(i) * K + k0 + c] : 0.f;
        for (int l = threadIdx.y; l < prof; l += nl)
            tB[l * nc + threadIdx.x] =
                (k0 + l < K && j < N) ? B[static_cast<size_t>(k0 + l) * N + j] : 0.f;
        __syncthreads();
        for (int q = 0; q < prof; ++q)
            s += tA[threadIdx.y * prof + q] * tB[q * nc + threadIdx.x];
        __syncthreads();
    }
    if (i < M && j < N)
        C[static_cast<size_t>(i) * N + j] = s;
}

} // namespace

class MultiplicateurGPU {
public:
    MultiplicateurGPU(unsigned lignes, unsigned colonnes, unsigned prof)
        : lignes_(lignes), colonnes_(colonnes), prof_(prof)
    {
        if (lignes == 0 || colonnes == 0 || prof == 0 || lignes * colonnes > 1024)
            throw std::invalid_argument("forme de tuile invalide");
        octets_ = 2 * sizeof(float) * lignes_ * prof_;
    }

    void operator()(const float* dA, const float* dB, float* dC, int M, int N, int K,
                    cudaStream_t flux = nullptr) const
    {
        const dim3 bloc(colonnes_, lignes_);
        const dim3 grille((N + colonnes_ - 1) / colonnes_, (M + lignes_ - 1) / lignes_);
        noyauProduit<<<grille, bloc, octets_, flux>>>(dA, dB, dC, M, N, K, static_cast<int>(prof_));
        const cudaError_t e = cudaGetLastError();
        if (e != cudaSuccess)
            throw std::runtime_error(std::string("lancement : ") + cudaGetErrorString(e));
    }

private:
    unsigned lignes_, colonnes_, prof_;
    std::size_t octets_;
};

// réglage utilisé pendant la formation
void produitParDefaut(const float* dA, const float* dB, float* dC, int M, int N, int K)
{
    static const MultiplicateurGPU produit(8, 32, 16);
    produit(dA, dB, dC, M, N, K);
}
