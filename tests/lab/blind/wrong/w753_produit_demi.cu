/*
 * TP 5 : produit de matrices en demi-precision (half), accumulation en float.
 * A : m x k, B : k x n, C : m x n, toutes rangees par lignes.
 * Les dimensions sont quelconques (pas forcement multiples de la tuile).
 */
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdexcept>
#include <string>

namespace tp5 {

constexpr int TUILE = 16;

__device__ inline half lire(const half *mat, int lig, int col, int nlig, int ncol)
{
    if (lig < nlig && col < ncol)
        return mat[(size_t)lig * ncol + col];
    return __float2half(0.0f);
}

__global__ void produitDemi(const half *A, const half *B, half *C, int m, int k, int n)
{
    __shared__ half tA[TUILE][TUILE];
    __shared__ half tB[TUILE][TUILE];

    // bloc a une dimension : on retrouve ligne et colonne locales
    const int ligLoc = threadIdx.x / TUILE;
    const int colLoc = threadIdx.x % TUILE;
    const int lig = blockIdx.y * TUILE + ligLoc;
    const int col = blockIdx.x * TUILE + colLoc;

    const int nbTuiles = k / TUILE;
    float somme = 0.0f;

    for (int t = 0; t < nbTuiles; ++t) {
        tA[ligLoc][colLoc] = lire(A, lig, t * TUILE + colLoc, m, k);
        tB[ligLoc][colLoc] = lire(B, t * TUILE + ligLoc, col, k, n);
        __syncthreads();

#pragma unroll
        for (int p = 0; p < TUILE; ++p)
            somme += __half2float(tA[ligLoc][p]) * __half2float(tB[p][colLoc]);

        __syncthreads();
    }

    if (lig < m && col < n)
        C[(size_t)lig * n + col] = __float2half(somme);
}

// Lance le noyau sur des pointeurs du GPU.
void multiplier(const half *dA, const half *dB, half *dC, int m, int k, int n,
                cudaStream_t flux = 0)
{
    if (m <= 0 || k <= 0 || n <= 0)
        throw std::invalid_argument("dimensions positives attendues");

    const dim3 grille((n + TUILE - 1) / TUILE, (m + TUILE - 1) / TUILE);
    produitDemi<<<grille, TUILE * TUILE, 0, flux>>>(dA, dB, dC, m, k, n);

    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        throw std::runtime_error(std::string("produitDemi : ") + cudaGetErrorString(e));
}

} // namespace tp5
