// Produit C = A B, stockage par colonnes (comme Fortran/BLAS) : X(i,j) = X[i + j*ldx]
#include <cuda_runtime.h>
#include <stdexcept>

template <typename T, int TUILE>
__global__ void produitColonnes(int m, int n, int k,
                                const T *a, int lda,
                                const T *b, int ldb,
                                T *c, int ldc)
{
    __shared__ T ta[TUILE][TUILE + 1];   // ta[colonne p][ligne i]
    __shared__ T tb[TUILE][TUILE + 1];   // tb[colonne j][ligne p]

    // threadIdx.x parcourt les lignes : acces contigus
    const int li = threadIdx.x, lj = threadIdx.y;
    const int i = blockIdx.x * TUILE + li;
    const int j = blockIdx.y * TUILE + lj;

    T s = T(0);
    for (int p0 = 0; p0 < k; p0 += TUILE) {
        ta[lj][li] = (i < m && p0 + lj < k) ? a[i + (size_t)(p0 + lj) * lda] : T(0);
        tb[lj][li] = (j < n && p0 + li < k) ? b[(p0 + li) + (size_t)j * ldb] : T(0);
        __syncthreads();
#pragma unroll
        for (int p = 0; p < TUILE; ++p)
            s += ta[p][li] * tb[lj][p];
        __syncthreads();
    }
    if (i < m && j < n)
        c[i + (size_t)j * ldc] = s;
}

static void verifie(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

// Matrices hotes compactes (lda = m, ldb = k, ldc = m), m, n, k >= 1.
void multiplie(int m, int n, int k, const double *a, const double *b, double *c)
{
    constexpr int TUILE = 16;
    double *da = nullptr, *db = nullptr, *dc = nullptr;
    const size_t na = (size_t)m * k * sizeof(double);
    const size_t nb = (size_t)k * n * sizeof(double);
    const size_t nc = (size_t)m * n * sizeof(double);
    verifie(cudaMalloc(&da, na));
    verifie(cudaMalloc(&db, nb));
    verifie(cudaMalloc(&dc, nc));
    verifie(cudaMemcpy(da, a, na, cudaMemcpyHostToDevice));
    verifie(cudaMemcpy(db, b, nb, cudaMemcpyHostToDevice));

    dim3 bloc(TUILE, TUILE);
    dim3 grille((m + TUILE - 1) / TUILE, (n + TUILE - 1) / TUILE);
    produitColonnes<double, TUILE><<<grille, bloc>>>(m, n, k, da, m, db, k, dc, m);
    verifie(cudaGetLastError());

    verifie(cudaMemcpy(c, dc, nc, cudaMemcpyDeviceToHost));
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}
