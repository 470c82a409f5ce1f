// y = A^T x   con A (m x n) per righe.
// Un thread per colonna, cosi' gli accessi ad A sono coalescenti.
// Le righe sono divise in fette da 64 (blockIdx.y), le fette si sommano con atomicAdd.
#include <cuda_runtime.h>
#include <cstdio>

#define COLONNE 128
#define FETTA   64

__global__ void matvecT(const float* A, const float* x, float* y, int m, int n)
{
    __shared__ float xs[FETTA];

    int r0 = blockIdx.y * FETTA;
    int quante = min(FETTA, m - r0);

    if (threadIdx.x < quante)
        xs[threadIdx.x] = x[r0 + threadIdx.x];
    __syncthreads();

    int c = blockIdx.x * COLONNE + threadIdx.x;
    if (c < n) {
        float s = 0.f;
        for (int r = 0; r < quante; r++)
            s += A[(size_t)(r0 + r) * n + c] * xs[r];
        atomicAdd(&y[c], s);
    }
}

// puntatori host; restituisce 0 se tutto bene
int calcolaATx(const float* hA, const float* hx, float* hy, int m, int n)
{
    if (m < 1 || n < 1 || m > 65535 * FETTA)
        return -1;

    float *A, *x, *y;
    size_t byteA = (size_t)m * n * sizeof(float);
    if (cudaMalloc(&A, byteA) != cudaSuccess) return -2;
    if (cudaMalloc(&x, m * sizeof(float)) != cudaSuccess) { cudaFree(A); return -2; }
    if (cudaMalloc(&y, n * sizeof(float)) != cudaSuccess) { cudaFree(A); cudaFree(x); return -2; }

    cudaMemcpy(A, hA, byteA, cudaMemcpyHostToDevice);
    cudaMemcpy(x, hx, m * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(y, 0, n * sizeof(float));

    dim3 griglia((n + COLONNE - 1) / COLONNE, (m + FETTA - 1) / FETTA);
    matvecT<<<griglia, COLONNE>>>(A, x, y, m, n);

    cudaError_t err = cudaMemcpy(hy, y, n * sizeof(float), cudaMemcpyDeviceToHost);
    if (err != cudaSuccess)
        printf("errore: %s\n", cudaGetErrorString(err));
    cudaFree(A);
    cudaFree(x);
    cudaFree(y);
    return err == cudaSuccess ? 0 : -3;
}
