// Naive matrix product with one thread per element, 32x8 blocks.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t err = (call);                                          \
        if (err != cudaSuccess) {                                          \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,              \
                    cudaGetErrorString(err));                              \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

__global__ void matmul_naive(const double *a, const double *b, double *c,
                             int n_rows, int n_inner, int n_cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row <= n_rows && col < n_cols) {
        double s = 0.0;
        for (int k = 0; k < n_inner; k++)
            s += a[row * n_inner + k] * b[k * n_cols + col];
        c[row * n_cols + col] = s;
    }
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 203;
    int p = argc > 2 ? atoi(argv[2]) : 51;
    int n = argc > 3 ? atoi(argv[3]) : 117;

    double *a = new double[m * p], *b = new double[p * n], *c = new double[m * n];
    for (int i = 0; i < m * p; i++) a[i] = (double)rand() / RAND_MAX;
    for (int i = 0; i < p * n; i++) b[i] = (double)rand() / RAND_MAX;

    double *da, *db, *dc;
    CHECK(cudaMalloc(&da, sizeof(double) * m * p));
    CHECK(cudaMalloc(&db, sizeof(double) * p * n));
    CHECK(cudaMalloc(&dc, sizeof(double) * m * n));
    CHECK(cudaMemcpy(da, a, sizeof(double) * m * p, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, sizeof(double) * p * n, cudaMemcpyHostToDevice));

    dim3 block(32, 8);
    dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
    matmul_naive<<<grid, block>>>(da, db, dc, m, p, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, dc, sizeof(double) * m * n, cudaMemcpyDeviceToHost));

    double worst = 0.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0.0;
            for (int k = 0; k < p; k++) s += a[i * p + k] * b[k * n + j];
            worst = fmax(worst, fabs(s - c[i * n + j]));
        }
    printf("max error: %g\n", worst);
    CHECK(cudaFree(da)); CHECK(cudaFree(db)); CHECK(cudaFree(dc));
    delete[] a; delete[] b; delete[] c;
    return 0;
}
