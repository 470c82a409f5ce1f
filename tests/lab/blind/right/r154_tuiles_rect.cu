// TP CUDA n°5 : tuiles rectangulaires
// C (lignes x colonnes) = A (lignes x commun) * B (commun x colonnes)
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

template <int TL, int TC, int TK>
__global__ void multTuiles(const double *A, const double *B, double *C,
                           int lignes, int commun, int colonnes)
{
    // bloc de TC x TL threads, un thread par case de C
    __shared__ double sA[TL][TK];
    __shared__ double sB[TK][TC];

    const int num = threadIdx.y * TC + threadIdx.x;
    const int l0 = blockIdx.y * TL;
    const int c0 = blockIdx.x * TC;
    double acc = 0.0;

    for (int k0 = 0; k0 < commun; k0 += TK)
    {
        // chargement : tous les threads du bloc se partagent les cases
        for (int e = num; e < TL * TK; e += TL * TC) {
            int i = e / TK, k = e % TK;
            double v = 0.0;
            if (l0 + i < lignes && k0 + k < commun)
                v = A[(l0 + i) * commun + k0 + k];
            sA[i][k] = v;
        }
        for (int e = num; e < TK * TC; e += TL * TC) {
            int k = e / TC, j = e % TC;
            double v = 0.0;
            if (k0 + k < commun && c0 + j < colonnes)
                v = B[(k0 + k) * colonnes + c0 + j];
            sB[k][j] = v;
        }
        __syncthreads();

        for (int k = 0; k < TK; k++)
            acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }

    const int l = l0 + threadIdx.y, c = c0 + threadIdx.x;
    if (l < lignes && c < colonnes)
        C[l * colonnes + c] = acc;
}

#define VERIF(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "CUDA: %s (ligne %d)\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)

int main(void)
{
    const int L = 77, K = 53, N = 91;
    double *A, *B, *C;
    VERIF(cudaMallocManaged(&A, L * K * sizeof(double)));
    VERIF(cudaMallocManaged(&B, K * N * sizeof(double)));
    VERIF(cudaMallocManaged(&C, L * N * sizeof(double)));
    for (int i = 0; i < L * K; i++) A[i] = sin((double)i);
    for (int i = 0; i < K * N; i++) B[i] = cos((double)i);

    dim3 bloc(16, 32);
    dim3 grille((N + 15) / 16, (L + 31) / 32);
    multTuiles<32, 16, 8><<<grille, bloc>>>(A, B, C, L, K, N);
    VERIF(cudaGetLastError());
    VERIF(cudaDeviceSynchronize());

    int faux = 0;
    for (int i = 0; i < L; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (fabs(s - C[i * N + j]) > 1e-9) faux++;
        }
    printf("%d erreurs\n", faux);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return faux ? 1 : 0;
}
