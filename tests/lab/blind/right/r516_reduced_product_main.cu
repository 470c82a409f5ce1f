/*
 * Assignment 2: "reduced" matrix product.
 *
 *   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
 *
 * A is m x k, B is k x n, C is (m/2) x (n/2).  m and n have to be even,
 * k can be anything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#define T 16

__global__ void reduced(const int *a, const int *b, int *c, int m, int n, int k)
{
    __shared__ int pa[T][T];     /* already summed pairs of rows    */
    __shared__ int pb[T][T];     /* already summed pairs of columns */

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * T + ty;
    int j = blockIdx.x * T + tx;
    int rows = m / 2, cols = n / 2;
    int sum = 0;

    for (int k0 = 0; k0 < k; k0 += T) {
        pa[ty][tx] = 0;
        pb[ty][tx] = 0;
        if (i < rows && k0 + tx < k)
            pa[ty][tx] = a[(2 * i) * k + k0 + tx] + a[(2 * i + 1) * k + k0 + tx];
        if (j < cols && k0 + ty < k)
            pb[ty][tx] = b[(k0 + ty) * n + 2 * j] + b[(k0 + ty) * n + 2 * j + 1];
        __syncthreads();
        for (int q = 0; q < T; q++)
            sum += pa[ty][q] * pb[q][tx];
        __syncthreads();
    }
    if (i < rows && j < cols)
        c[i * cols + j] = sum;
}

static void cpu(const int *a, const int *b, int *c, int m, int n, int k)
{
    /* the slow way: full product, then add up the 2x2 blocks */
    memset(c, 0, (m / 2) * (n / 2) * sizeof(int));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int q = 0; q < k; q++)
                c[(i / 2) * (n / 2) + j / 2] += a[i * k + q] * b[q * n + j];
}

int main(void)
{
    int sizes[][3] = { {32, 32, 32}, {64, 32, 16}, {2, 2, 1}, {50, 70, 33}, {98, 6, 129} };
    int fails = 0;

    for (int t = 0; t < 5; t++) {
        int m = sizes[t][0], n = sizes[t][1], k = sizes[t][2];
        if (m % 2 || n % 2) { printf("m and n must be even\n"); return 1; }
        int csize = (m / 2) * (n / 2) * sizeof(int);
        int *a = (int *)malloc(m * k * sizeof(int));
        int *b = (int *)malloc(k * n * sizeof(int));
        int *c = (int *)malloc(csize), *ref = (int *)malloc(csize);
        for (int i = 0; i < m * k; i++) a[i] = rand() % 21 - 10;
        for (int i = 0; i < k * n; i++) b[i] = rand() % 21 - 10;

        int *d_a, *d_b, *d_c;
        cudaMalloc((void **)&d_a, m * k * sizeof(int));
        cudaMalloc((void **)&d_b, k * n * sizeof(int));
        cudaMalloc((void **)&d_c, csize);
        cudaMemcpy(d_a, a, m * k * sizeof(int), cudaMemcpyHostToDevice);
        cudaMemcpy(d_b, b, k * n * sizeof(int), cudaMemcpyHostToDevice);

        dim3 threads(T, T);
        dim3 blocks((n / 2 + T - 1) / T, (m / 2 + T - 1) / T);
        reduced<<<blocks, threads>>>(d_a, d_b, d_c, m, n, k);
        cudaMemcpy(c, d_c, csize, cudaMemcpyDeviceToHost);

        cpu(a, b, ref, m, n, k);
        int ok = memcmp(c, ref, csize) == 0;
        printf("m=%d n=%d k=%d : %s\n", m, n, k, ok ? "ok" : "WRONG");
        if (!ok) fails++;

        cudaFree(d_a); cudaFree(d_b); cudaFree(d_c);
        free(a); free(b); free(c); free(ref);
    }
    return fails;
}
