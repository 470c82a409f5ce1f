/* y = A x, kolumnvis lagring (som i vår gamla C-kod).
 * A är m x n och ligger i ett fält med ledande dimension lda (lda >= m).
 * Alla pekare till mv_host är pekare i värddatorns minne.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define BLOCK 128

typedef struct {
    int m;      /* rader    */
    int n;      /* kolumner */
    int lda;    /* ledande dimension */
} mat_dim;

__global__ void mv_kernel(mat_dim d, const float *A, const float *x, float *y)
{
    int row = blockIdx.x * BLOCK + threadIdx.x;
    int col;
    float s0 = 0.0f, s1 = 0.0f;

    if (row >= d.m)
        return;

    /* två kolumner åt gången */
    for (col = 0; col + 1 < d.n; col += 2) {
        s0 += A[col * d.m + row] * x[col];
        s1 += A[(col + 1) * d.m + row] * x[col + 1];
    }
    if (d.n % 2 == 1)
        s0 += A[(d.n - 1) * d.m + row] * x[d.n - 1];

    y[row] = s0 + s1;
}

int mv_host(const float *A, int m, int n, int lda, const float *x, float *y)
{
    float *dA = NULL, *dx = NULL, *dy = NULL;
    mat_dim d;
    size_t bytes = (size_t)lda * n * sizeof(float);

    if (m < 1 || n < 1 || lda < m) {
        fprintf(stderr, "mv_host: fel argument\n");
        return -1;
    }
    d.m = m;
    d.n = n;
    d.lda = lda;

    cudaMalloc((void **)&dA, bytes);
    cudaMalloc((void **)&dx, n * sizeof(float));
    cudaMalloc((void **)&dy, m * sizeof(float));
    cudaMemcpy(dA, A, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice);

    mv_kernel<<<(m + BLOCK - 1) / BLOCK, BLOCK>>>(d, dA, dx, dy);
    cudaMemcpy(y, dy, m * sizeof(float), cudaMemcpyDeviceToHost);

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
