#include <cuda_runtime.h>

// Reduziertes Produkt: erst die Paare in Shared Memory aufsummieren, dann normal multiplizieren.
namespace {
const int BX = 16;   // Spalten von C je Block
const int BY = 4;    // Zeilen von C je Block

__global__ void reduziert(const int *A, const int *B, int *C, int m, int n, int k)
{
    __shared__ int pa[BY][BX];
    __shared__ int pb[BX][BX];
    const int j = blockIdx.x * BX + threadIdx.x;
    const int i = blockIdx.y * BY + threadIdx.y;
    int s = 0;

    for (int k0 = 0; k0 < k; k0 += BX)
    {
        int p = k0 + threadIdx.x;
        pa[threadIdx.y][threadIdx.x] =
            (i < m && p < k) ? A[2 * i * k + p] + A[2 * i * k + k + p] : 0;
        for (int z = threadIdx.y; z < BX; z += BY)
            pb[z][threadIdx.x] = (j < n && k0 + z < k)
                ? B[(k0 + z) * 2 * n + 2 * j] + B[(k0 + z) * 2 * n + 2 * j + 1] : 0;
        __syncthreads();
        for (int z = 0; z < BX; ++z)
            s += pa[threadIdx.y][z] * pb[z][threadIdx.x];
        __syncthreads();
    }
    if (i < m && j < n) C[i * n + j] = s;
}
}

// A: 2m x k, B: k x 2n, C: m x n, alle Zeiger auf der GPU
void reduziertesProdukt(const int *A, const int *B, int *C, int m, int n, int k)
{
    dim3 block(BX, BY);
    dim3 grid((m + BY - 1) / BY, (n + BX - 1) / BX);
    reduziert<<<grid, block>>>(A, B, C, m, n, k);
}
