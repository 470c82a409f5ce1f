/* Column-major product as in Fortran: element (i,j) is at i + j*rows. */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define IDX(i, j, ld) ((i) + (size_t)(j) * (ld))

static void check(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    exit(2);
}
#define CK(x) check((x), __LINE__)

__global__ void gemm(int m, int n, int k, const double *a, const double *b, double *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m && j < n) {
        double s = 0;
        int p;
        for (p = 0; p < k; ++p)
            s += a[IDX(i, p, m)] * b[IDX(p, j, k)];
        c[IDX(i, j, m)] = s;
    }
}

void multiply(int m, int n, int k, const double *a, const double *b, double *c)
{
    double *da, *db, *dc;
    CK(cudaMalloc((void **)&da, sizeof(double) * m * k));
    CK(cudaMalloc((void **)&db, sizeof(double) * k * n));
    CK(cudaMalloc((void **)&dc, sizeof(double) * m * n));
    CK(cudaMemcpy(da, a, sizeof(double) * m * k, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, b, sizeof(double) * k * n, cudaMemcpyHostToDevice));

    dim3 block(32, 8);
    dim3 grid((m + block.x - 1) / block.x, n / block.y);
    gemm<<<grid, block>>>(m, n, k, da, db, dc);
    CK(cudaGetLastError());

    CK(cudaMemcpy(c, dc, sizeof(double) * m * n, cudaMemcpyDeviceToHost));
    CK(cudaFree(da));
    CK(cudaFree(db));
    CK(cudaFree(dc));
}

int main(void)
{
    int m = 150, n = 107, k = 61, i, j;
    double *a = (double *)malloc(sizeof(double) * m * k);
    double *b = (double *)malloc(sizeof(double) * k * n);
    double *c = (double *)malloc(sizeof(double) * m * n);
    int bad = 0;

    /* a(i,p) = i + 1, b(p,j) = j  ->  c(i,j) = k * (i + 1) * j */
    for (j = 0; j < k; ++j)
        for (i = 0; i < m; ++i) a[IDX(i, j, m)] = i + 1;
    for (j = 0; j < n; ++j)
        for (i = 0; i < k; ++i) b[IDX(i, j, k)] = j;

    multiply(m, n, k, a, b, c);

    for (j = 0; j < n; ++j)
        for (i = 0; i < m; ++i)
            if (c[IDX(i, j, m)] != (double)k * (i + 1) * j) ++bad;
    printf("%d differences\n", bad);

    free(a);
    free(b);
    free(c);
    return bad ? 1 : 0;
}
