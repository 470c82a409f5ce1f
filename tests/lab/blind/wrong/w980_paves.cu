#include <cuda_runtime.h>

/* Produit C = A.B ; A (m x k), B (k x n), stockage par lignes.
   Pavés de A : H x P, pavés de B : P x L, un fil par élément de C. */

#define H 8
#define L 32
#define P 16

__global__ void pave(const float *A, const float *B, float *C, int m, int k, int n)
{
    extern __shared__ float tampon[];
    float *pA = tampon;
    float *pB = tampon + H * P;

    int fil = threadIdx.y * L + threadIdx.x;
    int i = blockIdx.y * H + threadIdx.y;
    int j = blockIdx.x * L + threadIdx.x;
    float somme = 0.f;

    for (int d = 0; d < k; d += P) {
        for (int e = fil; e < H * P; e += H * L) {
            int li = blockIdx.y * H + e / P, co = d + e % P;
            pA[e] = (li < m && co < k) ? A[li * k + co] : 0.f;
        }
        for (int e = fil; e < P * L; e += H * L) {
            int li = d + e / L, co = blockIdx.x * L + e % L;
            pB[e] = (li < k && co < n) ? B[li * n + co] : 0.f;
        }
        __syncthreads();

        for (int q = 0; q < P; q++)
            somme += pA[threadIdx.y * P + q] * pB[q * L + threadIdx.x];
        __syncthreads();
    }

    if (i < m && j < n) C[i * n + j] = somme;
}

void produit(const float *A, const float *B, float *C, int m, int k, int n)
{
    dim3 fils(L, H);
    dim3 grille((n + L - 1) / L, (m + H - 1) / H);
    pave<<<grille, fils, (H * P + H * L) * sizeof(float)>>>(A, B, C, m, k, n);
}
