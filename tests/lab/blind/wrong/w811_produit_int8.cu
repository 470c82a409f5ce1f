// Produit de matrices d'entiers 8 bits, résultat sur 32 bits.
//   A : m x k (int8_t), B : k x n (int8_t), C : m x n (int32_t)
// Stockage par lignes, m, n, k quelconques entre 1 et 30000.
#include <cstdint>
#include <cuda_runtime.h>

template <int TUILE>
__global__ void produitInt8(const int8_t* __restrict__ A,
                            const int8_t* __restrict__ B,
                            int32_t* __restrict__ C,
                            int m, int n, int k)
{
    __shared__ int8_t tA[TUILE][TUILE];
    __shared__ int8_t tB[TUILE][TUILE];

    const int x = threadIdx.x, y = threadIdx.y;
    const int ligne   = blockIdx.y * TUILE + y;
    const int colonne = blockIdx.x * TUILE + x;
    const int nbTuiles = (k + TUILE - 1) / TUILE;

    int32_t cumul = 0;
    for (int t = 0; t < nbTuiles; ++t) {
        const int ca = t * TUILE + x;
        const int lb = t * TUILE + y;
        tA[y][x] = (ligne < m && ca < k) ? A[(size_t)ligne * k + ca] : 0;
        tB[y][x] = (lb < k && colonne < n) ? B[(size_t)lb * n + colonne] : 0;
        __syncthreads();

        for (int q = 0; q < TUILE; ++q)
            cumul += (int32_t)tA[y][q] * (int32_t)tB[x][q];
        __syncthreads();
    }

    if (ligne < m && colonne < n)
        C[(size_t)ligne * n + colonne] = cumul;
}

void multiplier(const int8_t* A, const int8_t* B, int32_t* C, int m, int n, int k)
{
    constexpr int TUILE = 32;
    dim3 bloc(TUILE, TUILE);
    dim3 grille((n + TUILE - 1) / TUILE, (m + TUILE - 1) / TUILE);
    produitInt8<TUILE><<<grille, bloc>>>(A, B, C, m, n, k);
}
