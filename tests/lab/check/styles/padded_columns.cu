#define AT(i, j, ld) ((i) + (j) * (ld))

__global__ void columns_first(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;
    double sum = 0.0;
    for (int p = 0; p < k; ++p) sum += a[AT(i, p, lda)] * b[AT(p, j, ldb)];
    c[AT(i, j, ldc)] = sum;
}

void multiply(int m, int n, int k, const double *a, const double *b, double *c) {
    int lda = m + 3, ldb = k + 1, ldc = m;
    columns_first<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(m, n, k, a, lda, b, ldb, c, ldc);
}
