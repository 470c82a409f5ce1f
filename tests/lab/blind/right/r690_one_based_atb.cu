/*  Our old Fortran kernel, translated line by line:
 *
 *        DO J = 1, N
 *          DO I = 1, M
 *            C(I,J) = C(I,J) + DOT_PRODUCT(A(1:K,I), B(1:K,J))
 *
 *  i.e. C = C + A^T B, A is K x M, B is K x N, C is M x N, column major, 1-based.
 *  The grid may have any shape: the kernel strides over the whole of C.
 */
#include <cstdio>
#include <cstdlib>

#define A(I, J) a[((I) - 1) + (size_t)((J) - 1) * lda]
#define B(I, J) b[((I) - 1) + (size_t)((J) - 1) * ldb]
#define C(I, J) c[((I) - 1) + (size_t)((J) - 1) * ldc]

typedef double real8;

__global__ void atb(int m, int n, int k, const real8 *a, int lda,
                    const real8 *b, int ldb, real8 *c, int ldc)
{
    for (int j = 1 + blockIdx.y * blockDim.y + threadIdx.y; j <= n; j += gridDim.y * blockDim.y)
        for (int i = 1 + blockIdx.x * blockDim.x + threadIdx.x; i <= m; i += gridDim.x * blockDim.x) {
            real8 t = 0.0;
            for (int l = 1; l <= k; l++)
                t = t + A(l, i) * B(l, j);
            C(i, j) = C(i, j) + t;
        }
}

static real8 *to_device(const real8 *h, size_t count)
{
    real8 *d = NULL;
    if (cudaMalloc((void **)&d, count * sizeof(real8)) != cudaSuccess) exit(2);
    cudaMemcpy(d, h, count * sizeof(real8), cudaMemcpyHostToDevice);
    return d;
}

int main(void)
{
    const int m = 37, n = 61, k = 20, lda = 24, ldb = 20, ldc = 40;
    real8 *a = (real8 *)calloc((size_t)lda * m, sizeof(real8));
    real8 *b = (real8 *)calloc((size_t)ldb * n, sizeof(real8));
    real8 *c = (real8 *)calloc((size_t)ldc * n, sizeof(real8));
    real8 *c_gpu = (real8 *)malloc((size_t)ldc * n * sizeof(real8));

    for (int i = 1; i <= m; i++)
        for (int l = 1; l <= k; l++) A(l, i) = l + 2 * i;
    for (int j = 1; j <= n; j++)
        for (int l = 1; l <= k; l++) B(l, j) = l - j;
    for (int j = 1; j <= n; j++)
        for (int i = 1; i <= m; i++) C(i, j) = i * j;

    real8 *d_a = to_device(a, (size_t)lda * m);
    real8 *d_b = to_device(b, (size_t)ldb * n);
    real8 *d_c = to_device(c, (size_t)ldc * n);

    dim3 threads(32, 4), blocks(1, 6);      /* small on purpose, tests the strides */
    atb<<<blocks, threads>>>(m, n, k, d_a, lda, d_b, ldb, d_c, ldc);
    cudaMemcpy(c_gpu, d_c, (size_t)ldc * n * sizeof(real8), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int j = 1; j <= n; j++)
        for (int i = 1; i <= m; i++) {
            real8 t = C(i, j);
            for (int l = 1; l <= k; l++) t += A(l, i) * B(l, j);
            if (t != c_gpu[(i - 1) + (size_t)(j - 1) * ldc]) bad++;
        }
    printf("%d wrong of %d\n", bad, m * n);

    cudaFree(d_a); cudaFree(d_b); cudaFree(d_c);
    free(a); free(b); free(c); free(c_gpu);
    return bad != 0;
}
