// C = A * B^T su "viste": finestre rettangolari dentro matrici più grandi.
// L'elemento (r,c) di una vista sta in p[r*passo + c], con passo >= colonne.
// A: m x k, B: n x k, C: m x n; righe e colonne da 1 a 10000.
#include <cstdio>
#include <cuda_runtime.h>

struct Vista { double* p; int righe, colonne, passo; };

constexpr int L = 16;

__device__ inline double leggi(const Vista& v, int r, int c)
{
    return (r < v.righe && c < v.colonne) ? v.p[(size_t)r * v.passo + c] : 0.0;
}

__global__ void perTrasposta(Vista A, Vista B, Vista C)
{
    __shared__ double sA[L][L + 1], sB[L][L + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r = blockIdx.y * L + ty;
    const int c = blockIdx.x * L + tx;
    const int rigaB = blockIdx.x * L + ty;      // riga di B caricata da questo thread

    double somma = 0.0;
    for (int k0 = 0; k0 < A.colonne; k0 += L) {
        sA[ty][tx] = leggi(A, r, k0 + tx);
        sB[ty][tx] = leggi(B, rigaB, k0 + tx);
        __syncthreads();
        for (int q = 0; q < L; ++q) somma += sA[ty][q] * sB[tx][q];
        __syncthreads();
    }
    if (r < C.righe && c < C.colonne)
        C.p[(size_t)r * C.colonne + c] = somma;
}

void moltiplica(Vista A, Vista B, Vista C)
{
    dim3 blocco(L, L);
    dim3 griglia((C.colonne + L - 1) / L, (C.righe + L - 1) / L);
    perTrasposta<<<griglia, blocco>>>(A, B, C);
}

int main()
{
    // una matrice 200 x 256 da cui si prendono tre finestre che non si toccano
    const int passo = 256;
    double* base;
    cudaMallocManaged(&base, 200 * passo * sizeof(double));
    for (int i = 0; i < 200 * passo; ++i) base[i] = (i * 7 % 11) - 5.0;

    Vista A{base, 60, 75, passo};
    Vista B{base + 100, 90, 75, passo};
    Vista C{base + 100 * passo + 20, 60, 90, passo};
    moltiplica(A, B, C);
    cudaDeviceSynchronize();

    int errori = 0;
    for (int i = 0; i < 60; ++i)
        for (int j = 0; j < 90; ++j) {
            double s = 0.0;
            for (int q = 0; q < 75; ++q) s += A.p[i * passo + q] * B.p[j * passo + q];
            errori += s != C.p[i * passo + j];
        }
    printf("errori: %d\n", errori);
    cudaFree(base);
    return 0;
}
