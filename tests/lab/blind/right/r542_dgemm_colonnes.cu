// TP calcul scientifique : DGEMM "nn" a la BLAS, stockage par colonnes.
//   C <- alpha * A * B + beta * C
// A : m x k (lda >= m), B : k x n (ldb >= k), C : m x n (ldc >= m)
// Toutes les tailles sont admises. Les pointeurs sont sur le GPU.
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

namespace {

constexpr int TM = 32;   // lignes de la tuile de C
constexpr int TN = 32;   // colonnes de la tuile de C
constexpr int TK = 16;   // profondeur
constexpr int BY = 8;    // blockDim.y : chaque thread calcule TN/BY colonnes

// element (i,j) d'une matrice rangee par colonnes
__device__ __forceinline__ size_t idx(int i, int j, int ld)
{
    return (size_t)j * ld + i;
}

__global__ void noyau_dgemm(int m, int n, int k, double alpha,
                            const double *A, int lda,
                            const double *B, int ldb,
                            double beta, double *C, int ldc)
{
    __shared__ double As[TK][TM];
    __shared__ double Bs[TN][TK + 1];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int lig = blockIdx.x * TM + tx;
    const int col0 = blockIdx.y * TN;
    const int t = ty * TM + tx;               // numero lineaire, 0..255

    double somme[TN / BY] = {0.0, 0.0, 0.0, 0.0};

    for (int k0 = 0; k0 < k; k0 += TK) {
        // tuile de A : les lignes suivent tx => lectures coalescees
        for (int p = ty; p < TK; p += BY)
            As[p][tx] = (lig < m && k0 + p < k) ? A[idx(lig, k0 + p, lda)] : 0.0;

        // tuile de B : 16 lignes consecutives d'une colonne
        for (int e = t; e < TK * TN; e += TM * BY) {
            const int p = e % TK;
            const int j = e / TK;
            Bs[j][p] = (k0 + p < k && col0 + j < n) ? B[idx(k0 + p, col0 + j, ldb)] : 0.0;
        }
        __syncthreads();

        for (int p = 0; p < TK; ++p) {
            const double a = As[p][tx];
            for (int q = 0; q < TN / BY; ++q)
                somme[q] += a * Bs[ty + q * BY][p];
        }
        __syncthreads();
    }

    if (lig < m) {
        for (int q = 0; q < TN / BY; ++q) {
            const int col = col0 + ty + q * BY;
            if (col < n) {
                double *c = &C[idx(lig, col, ldc)];
                // convention BLAS : si beta == 0, C n'est pas lu
                *c = (beta == 0.0) ? alpha * somme[q] : alpha * somme[q] + beta * *c;
            }
        }
    }
}

} // namespace

void mon_dgemm(int m, int n, int k, double alpha, const double *dA, int lda,
               const double *dB, int ldb, double beta, double *dC, int ldc)
{
    if (m < 0 || n < 0 || k < 0)
        throw std::invalid_argument("dimension negative");
    if (lda < m || ldb < k || ldc < m)
        throw std::invalid_argument("dimension principale trop petite");
    if (m == 0 || n == 0)
        return;

    dim3 bloc(TM, BY);
    dim3 grille((m + TM - 1) / TM, (n + TN - 1) / TN);
    noyau_dgemm<<<grille, bloc>>>(m, n, k, alpha, dA, lda, dB, ldb, beta, dC, ldc);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        throw std::runtime_error(std::string("mon_dgemm : ") + cudaGetErrorString(e));
}
