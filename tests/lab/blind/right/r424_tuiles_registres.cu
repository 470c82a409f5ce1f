// TP4 : produit C = A.B avec tuiles en mémoire partagée ET tuiles de registres.
// Chaque thread calcule un petit pavé TM x TN de C.
// Matrices rangées par lignes, dimensions quelconques (de 1 à un million).
#include <cuda_runtime.h>

template <int BM, int BN, int BK, int TM, int TN>
__global__ void produit_registres(const float* __restrict__ A,
                                  const float* __restrict__ B,
                                  float* __restrict__ C,
                                  int M, int N, int K)
{
    constexpr int NT = (BM / TM) * (BN / TN);   // threads par bloc
    static_assert(BM % TM == 0 && BN % TN == 0, "pavé incompatible");

    __shared__ float sA[BK][BM + 1];   // rangée transposée
    __shared__ float sB[BK][BN];

    const int tid = threadIdx.x;
    const int tcol = tid % (BN / TN);
    const int tlig = tid / (BN / TN);

    const int lig0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    float acc[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j)
            acc[i][j] = 0.f;

    for (int k0 = 0; k0 < K; k0 += BK) {
        // chargement coopératif
        for (int e = tid; e < BM * BK; e += NT) {
            const int r = e / BK, c = e % BK;
            const int gr = lig0 + r, gc = k0 + c;
            sA[c][r] = (gr < M && gc < K) ? A[(size_t)gr * K + gc] : 0.f;
        }
        for (int e = tid; e < BK * BN; e += NT) {
            const int r = e / BN, c = e % BN;
            const int gr = k0 + r, gc = col0 + c;
            sB[r][c] = (gr < K && gc < N) ? B[(size_t)gr * N + gc] : 0.f;
        }
        __syncthreads();

#pragma unroll
        for (int p = 0; p < BK; ++p) {
            float a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = sA[p][tlig * TM + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = sB[p][tcol + j * (BN / TN)];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const int gr = lig0 + tlig * TM + i;
        if (gr >= M) break;
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int gc = col0 + tcol + j * (BN / TN);   // entrelacé
            if (gc < N) C[(size_t)gr * N + gc] = acc[i][j];
        }
    }
}

void lancer_produit(const float* dA, const float* dB, float* dC, int M, int N, int K)
{
    constexpr int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;
    dim3 grille((N + BN - 1) / BN, (M + BM - 1) / BM);
    int threads = (BM / TM) * (BN / TN);
    produit_registres<BM, BN, BK, TM, TN><<<grille, threads>>>(dA, dB, dC, M, N, K);
}
