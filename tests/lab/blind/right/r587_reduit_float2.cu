#include <cuda_runtime.h>

// TP4 : produit matriciel réduit
//
//   C[i][j] = somme sur k de (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
//
// A est m x K, B est K x n, C est (m/2) x (n/2), tout en ligne.
// Hypothèses : m et n sont pairs ; K est quelconque ; B vient de cudaMalloc
// (donc bien aligné pour les lectures en float2).
// Lancement : dim3 bloc(16,16), grille( ceil((n/2)/16), ceil((m/2)/16) ).

constexpr int T = 16;

__global__ void produit_reduit(const float *__restrict__ A,
                               const float *__restrict__ B,
                               float *__restrict__ C,
                               int m, int n, int K)
{
    __shared__ float sommesA[T][T + 1];
    __shared__ float sommesB[T][T];

    const int mh = m / 2;
    const int nh = n / 2;
    const int lig = blockIdx.y * T + threadIdx.y;   // ligne de C
    const int col = blockIdx.x * T + threadIdx.x;   // colonne de C

    // une ligne de B contient n/2 paires
    const float2 *B2 = reinterpret_cast<const float2 *>(B);

    float acc = 0.f;
    const int nbTuiles = (K + T - 1) / T;
    for (int t = 0; t < nbTuiles; t++) {
        int ka = t * T + threadIdx.x;
        int kb = t * T + threadIdx.y;

        float a = 0.f;
        if (lig < mh && ka < K) {
            const float *p = A + (size_t)(2 * lig) * K + ka;
            a = p[0] + p[K];            // deux lignes voisines
        }
        sommesA[threadIdx.y][threadIdx.x] = a;

        float b = 0.f;
        if (col < nh && kb < K) {
            float2 v = B2[(size_t)kb * nh + col];
            b = v.x + v.y;              // deux colonnes voisines
        }
        sommesB[threadIdx.y][threadIdx.x] = b;
        __syncthreads();

        for (int k = 0; k < T; k++)
            acc += sommesA[threadIdx.y][k] * sommesB[k][threadIdx.x];
        __syncthreads();
    }

    if (lig < mh && col < nh)
        C[(size_t)lig * nh + col] = acc;
}
