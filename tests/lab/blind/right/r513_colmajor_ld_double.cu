// TP2 - produit matriciel "à la BLAS" : stockage par colonnes,
// C = alpha*A*B + beta*C, A(m x k), B(k x n), C(m x n), lda >= m, ldb >= k, ldc >= m.
// Les tableaux de l'hôte contiennent respectivement lda*k, ldb*n et ldc*n doubles.
#include <cstdio>
#include <cassert>
#include <cuda_runtime.h>

#define IDX(i, j, ld) ((size_t)(j) * (ld) + (i))
#define NB 8

__global__ void dgemm_tuile(int m, int n, int k, double alpha,
                            const double *A, int lda,
                            const double *B, int ldb,
                            double beta, double *C, int ldc)
{
    __shared__ double sA[NB][NB + 1];   // sA[p][i] : colonne p, ligne i
    __shared__ double sB[NB][NB + 1];   // sB[j][p] : colonne j, ligne p

    int tx = threadIdx.x;               // ligne dans la tuile (contiguë en mémoire)
    int ty = threadIdx.y;               // colonne dans la tuile
    int i = blockIdx.x * NB + tx;
    int j = blockIdx.y * NB + ty;
    double acc = 0.0;

    for (int p0 = 0; p0 < k; p0 += NB) {
        sA[ty][tx] = 0.0;
        sB[ty][tx] = 0.0;
        if (i < m && p0 + ty < k)
            sA[ty][tx] = A[IDX(i, p0 + ty, lda)];
        if (p0 + tx < k && j < n)
            sB[ty][tx] = B[IDX(p0 + tx, j, ldb)];
        __syncthreads();

        #pragma unroll
        for (int p = 0; p < NB; p++)
            acc += sA[p][tx] * sB[ty][p];
        __syncthreads();
    }

    if (i < m && j < n) {
        double r = alpha * acc;
        if (beta != 0.0)                 // comme BLAS : C n'est pas lu si beta == 0
            r += beta * C[IDX(i, j, ldc)];
        C[IDX(i, j, ldc)] = r;
    }
}

// Renvoie 0 si tout va bien.
int mon_dgemm(int m, int n, int k, double alpha, const double *A, int lda,
              const double *B, int ldb, double beta, double *C, int ldc)
{
    assert(m > 0 && n > 0 && k > 0);
    assert(lda >= m && ldb >= k && ldc >= m);

    size_t oA = (size_t)lda * k * sizeof(double);
    size_t oB = (size_t)ldb * n * sizeof(double);
    size_t oC = (size_t)ldc * n * sizeof(double);
    double *dA, *dB, *dC;
    cudaMalloc((void **)&dA, oA);
    cudaMalloc((void **)&dB, oB);
    cudaMalloc((void **)&dC, oC);
    cudaMemcpy(dA, A, oA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, oB, cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C, oC, cudaMemcpyHostToDevice);  // C est aussi une entrée

    dim3 threads(NB, NB);
    dim3 blocs((m + NB - 1) / NB, (n + NB - 1) / NB);
    dgemm_tuile<<<blocs, threads>>>(m, n, k, alpha, dA, lda, dB, ldb, beta, dC, ldc);

    cudaMemcpy(C, dC, oC, cudaMemcpyDeviceToHost);
    cudaError_t err = cudaGetLastError();
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    if (err != cudaSuccess) {
        printf("Erreur CUDA : %s\n", cudaGetErrorString(err));
        return 1;
    }
    return 0;
}
