// TP 7 : produit de matrices avec blocage dans les registres.
// Un bloc de 256 threads (1D) calcule une tuile 64 x 64 de C ;
// chaque thread garde 4 x 4 resultats voisins dans ses registres.
// Toutes les matrices sont rangees par lignes, dimensions quelconques.
#include <cuda_runtime.h>

enum { BM = 64, BN = 64, BK = 16, TM = 4, TN = 4, NB_THREADS = (BM / TM) * (BN / TN) };

__global__ void __launch_bounds__(NB_THREADS)
produit_registres(int M, int N, int K,
                  const float *__restrict__ A,
                  const float *__restrict__ B,
                  float *__restrict__ C)
{
    __shared__ float tA[BK][BM];     // tuile de A, transposee
    __shared__ float tB[BK][BN];

    const int t = threadIdx.x;
    const int ti = t / (BN / TN);    // 0..15 : groupe de lignes
    const int tj = t % (BN / TN);    // 0..15 : groupe de colonnes
    const int ligne0 = blockIdx.y * BM;
    const int col0   = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        // chargement de la tuile de A : 64 lignes de 16 elements
        for (int e = t; e < BM * BK; e += NB_THREADS) {
            const int i = e / BK, k = e % BK;
            float v = 0.0f;
            if (ligne0 + i < M && k0 + k < K)
                v = A[(size_t)(ligne0 + i) * K + (k0 + k)];
            tA[k][i] = v;
        }
        // chargement de la tuile de B : 16 lignes de 64 elements
        for (int e = t; e < BK * BN; e += NB_THREADS) {
            const int k = e / BN, j = e % BN;
            float v = 0.0f;
            if (k0 + k < K && col0 + j < N)
                v = B[(size_t)(k0 + k) * N + (col0 + j)];
            tB[k][j] = v;
        }
        __syncthreads();

        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; i++) a[i] = tA[k][ti * TM + i];
            for (int j = 0; j < TN; j++) b[j] = tB[k][tj * TN + j];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; i++) {
        const int l = ligne0 + ti * TM + i;
        if (l >= M) break;
        for (int j = 0; j < TN; j++) {
            const int c = col0 + tj * TN + j;
            if (c < N) C[(size_t)l * N + c] = acc[i][j];
        }
    }
}

// dA, dB, dC : pointeurs vers la memoire du GPU
cudaError_t produit(int M, int N, int K, const float *dA, const float *dB, float *dC)
{
    if (M <= 0 || N <= 0) return cudaSuccess;
    dim3 grille((N + BN - 1) / BN, (M + BM - 1) / BM);
    produit_registres<<<grille, NB_THREADS>>>(M, N, K, dA, dB, dC);
    return cudaGetLastError();
}
