// TP 4 : produit matriciel, blocage en registres (4x4 par thread)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define VERIF(x) do { cudaError_t e = (x); if (e != cudaSuccess) { \
    printf("erreur CUDA ligne %d : %s\n", __LINE__, cudaGetErrorString(e)); exit(EXIT_FAILURE); } } while (0)

template <int BM, int BN, int BK, int TM, int TN>
__global__ void produit(const float *__restrict__ a, const float *__restrict__ b,
                        float *__restrict__ c, int m, int n, int p)
{
    constexpr int NTHREADS = (BM / TM) * (BN / TN);
    __shared__ float tuileA[BK][BM + 1];   // rangée transposée
    __shared__ float tuileB[BK][BN];

    const int id = threadIdx.x;
    const int lig0 = (id / (BN / TN)) * TM;
    const int col0 = (id % (BN / TN)) * TN;
    const int baseLig = blockIdx.y * BM;
    const int baseCol = blockIdx.x * BN;

    float acc[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] = 0.f;

    for (int k0 = 0; k0 < p; k0 += BK) {
        for (int e = id; e < BM * BK; e += NTHREADS) {
            int l = e / BK, k = e % BK;
            int gl = baseLig + l, gk = k0 + k;
            tuileA[k][l] = (gl < m && gk < p) ? a[(size_t)gl * p + gk] : 0.f;
        }
        for (int e = id; e < BK * BN; e += NTHREADS) {
            int k = e / BN, q = e % BN;
            int gk = k0 + k, gq = baseCol + q;
            tuileB[k][q] = (gk < p && gq < n) ? b[(size_t)gk * n + gq] : 0.f;
        }
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float ra[TM], rb[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) ra[i] = tuileA[k][lig0 + i];
#pragma unroll
            for (int j = 0; j < TN; ++j) rb[j] = tuileB[k][col0 + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        int gl = baseLig + lig0 + i;
        if (gl >= m) break;
        for (int j = 0; j < TN; ++j) {
            int gc = baseCol + col0 + j;
            if (gc < n) c[(size_t)gl * n + gc] = acc[i][j];
        }
    }
}

int main()
{
    const int m = 201, n = 155, p = 99;
    size_t ta = (size_t)m * p * sizeof(float), tb = (size_t)p * n * sizeof(float), tc = (size_t)m * n * sizeof(float);
    float *ha = (float *)malloc(ta), *hb = (float *)malloc(tb), *hc = (float *)malloc(tc);
    for (int i = 0; i < m * p; ++i) ha[i] = (i % 13) * 0.25f - 1.5f;
    for (int i = 0; i < p * n; ++i) hb[i] = (i % 7) * 0.5f - 1.f;

    float *da, *db, *dc;
    VERIF(cudaMalloc(&da, ta));
    VERIF(cudaMalloc(&db, tb));
    VERIF(cudaMalloc(&dc, tc));
    VERIF(cudaMemcpy(da, ha, ta, cudaMemcpyHostToDevice));
    VERIF(cudaMemcpy(db, hb, tb, cudaMemcpyHostToDevice));

    dim3 grille((n + 63) / 64, (m + 63) / 64);
    produit<64, 64, 16, 4, 4><<<grille, 256>>>(da, db, dc, m, n, p);
    VERIF(cudaGetLastError());
    VERIF(cudaMemcpy(hc, dc, tc, cudaMemcpyDeviceToHost));

    int erreurs = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0;
            for (int k = 0; k < p; ++k) s += ha[i * p + k] * hb[k * n + j];
            if (fabsf(s - hc[i * n + j]) > 1e-2f) erreurs++;
        }
    printf("%d erreurs\n", erreurs);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(ha); free(hb); free(hc);
    return erreurs > 0;
}
