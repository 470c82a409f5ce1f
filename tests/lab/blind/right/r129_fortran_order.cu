/* Matrix product with Fortran (column-major) storage, one-dimensional grid,
   every thread handles several elements. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define CM(i, j, ld) ((i) + (size_t)(j) * (ld))

__global__ void dgemm_f(int m, int n, int k, double alpha,
                        const double *a, int lda,
                        const double *b, int ldb,
                        double *c, int ldc)
{
    size_t total = (size_t)m * n;
    size_t step = (size_t)blockDim.x * gridDim.x;
    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < total; e += step) {
        int i = (int)(e % m);
        int j = (int)(e / m);
        double s = 0.0;
        for (int p = 0; p < k; p++)
            s += a[CM(i, p, lda)] * b[CM(p, j, ldb)];
        c[CM(i, j, ldc)] = alpha * s;
    }
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 91;
    int n = argc > 2 ? atoi(argv[2]) : 64;
    int k = argc > 3 ? atoi(argv[3]) : 37;
    int lda = m + 3, ldb = k + 1, ldc = m;
    double alpha = -1.5;

    double *a = (double *)malloc(sizeof(double) * lda * k);
    double *b = (double *)malloc(sizeof(double) * ldb * n);
    double *c = (double *)malloc(sizeof(double) * ldc * n);
    for (int i = 0; i < lda * k; i++) a[i] = drand48();
    for (int i = 0; i < ldb * n; i++) b[i] = drand48() - 0.5;

    double *da, *db, *dc;
    cudaMalloc(&da, sizeof(double) * lda * k);
    cudaMalloc(&db, sizeof(double) * ldb * n);
    cudaMalloc(&dc, sizeof(double) * ldc * n);
    cudaMemcpy(da, a, sizeof(double) * lda * k, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof(double) * ldb * n, cudaMemcpyHostToDevice);

    dgemm_f<<<12, 128>>>(m, n, k, alpha, da, lda, db, ldb, dc, ldc);
    cudaMemcpy(c, dc, sizeof(double) * ldc * n, cudaMemcpyDeviceToHost);

    double worst = 0.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double s = 0.0;
            for (int p = 0; p < k; p++)
                s += a[CM(i, p, lda)] * b[CM(p, j, ldb)];
            double d = fabs(alpha * s - c[CM(i, j, ldc)]);
            if (d > worst) worst = d;
        }
    printf("largest difference %g\n", worst);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    free(a);
    free(b);
    free(c);
    return worst > 1e-10;
}
