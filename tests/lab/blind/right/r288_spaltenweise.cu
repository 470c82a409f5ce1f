// SGEMM nach BLAS-Konvention: spaltenweise Speicherung, führende Dimensionen,
// C := alpha * A * B + beta * C.   A: m x k, B: k x n, C: m x n
// Ist beta == 0, so wird C nicht gelesen (darf also auch NaN enthalten).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_OK(x) pruefe((x), #x, __LINE__)
static void pruefe(cudaError_t e, const char *was, int zeile)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "Zeile %d: %s -> %s\n", zeile, was, cudaGetErrorString(e));
        std::exit(1);
    }
}

struct GemmParam {
    int m, n, k;
    float alpha;
    const float *A; int lda;   // lda >= m
    const float *B; int ldb;   // ldb >= k
    float beta;
    float *C; int ldc;         // ldc >= m
};

constexpr int KM = 32;   // Zeilen je Block   (= blockDim.x)
constexpr int KN = 8;    // Spalten je Block  (= blockDim.y)
constexpr int KK = 16;   // Tiefe einer Kachel

__global__ void sgemm_spalten(GemmParam p)
{
    __shared__ float As[KK][KM];       // As[kk][i]
    __shared__ float Bs[KN][KK + 1];   // Bs[j][kk]

    const int i0 = blockIdx.x * KM;
    const int j0 = blockIdx.y * KN;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int lin = ty * KM + tx;      // 0 .. 255

    float summe = 0.f;
    for (int k0 = 0; k0 < p.k; k0 += KK) {
        // A-Kachel: 16 x 32 Elemente, jeder Thread lädt zwei davon
        for (int kk = ty; kk < KK; kk += KN) {
            const int i = i0 + tx, kg = k0 + kk;
            As[kk][tx] = (i < p.m && kg < p.k) ? p.A[i + (size_t)kg * p.lda] : 0.f;
        }
        // B-Kachel: 8 x 16 = 128 Elemente, nur die ersten 128 Threads
        if (lin < KN * KK) {
            const int kk = lin % KK, jj = lin / KK;
            const int kg = k0 + kk, j = j0 + jj;
            Bs[jj][kk] = (kg < p.k && j < p.n) ? p.B[kg + (size_t)j * p.ldb] : 0.f;
        }
        __syncthreads();
        #pragma unroll
        for (int kk = 0; kk < KK; ++kk)
            summe = fmaf(As[kk][tx], Bs[ty][kk], summe);
        __syncthreads();
    }

    const int i = i0 + tx, j = j0 + ty;
    if (i < p.m && j < p.n) {
        float *ziel = p.C + i + (size_t)j * p.ldc;
        *ziel = (p.beta == 0.f) ? p.alpha * summe : p.alpha * summe + p.beta * *ziel;
    }
}

int main()
{
    const int m = 150, n = 77, k = 61;
    const int lda = 160, ldb = 64, ldc = 152;
    std::vector<float> A((size_t)lda * k), B((size_t)ldb * n), C((size_t)ldc * n), C0;
    for (auto &v : A) v = (std::rand() % 2001 - 1000) / 1000.f;
    for (auto &v : B) v = (std::rand() % 2001 - 1000) / 1000.f;
    for (auto &v : C) v = (std::rand() % 2001 - 1000) / 1000.f;
    C0 = C;

    float *dA, *dB, *dC;
    CUDA_OK(cudaMalloc(&dA, A.size() * sizeof(float)));
    CUDA_OK(cudaMalloc(&dB, B.size() * sizeof(float)));
    CUDA_OK(cudaMalloc(&dC, C.size() * sizeof(float)));
    CUDA_OK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(dC, C.data(), C.size() * sizeof(float), cudaMemcpyHostToDevice));

    GemmParam p{m, n, k, 1.5f, dA, lda, dB, ldb, -0.5f, dC, ldc};
    dim3 block(KM, KN), grid((m + KM - 1) / KM, (n + KN - 1) / KN);
    sgemm_spalten<<<grid, block>>>(p);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double fehler = 0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            double s = 0;
            for (int l = 0; l < k; ++l)
                s += (double)A[i + (size_t)l * lda] * B[l + (size_t)j * ldb];
            const double soll = 1.5 * s - 0.5 * C0[i + (size_t)j * ldc];
            fehler = std::fmax(fehler, std::fabs(soll - C[i + (size_t)j * ldc]));
        }
    std::printf("groesster Fehler: %g\n", fehler);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return fehler < 1e-3 ? 0 : 1;
}
