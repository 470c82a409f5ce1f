// Column-major product C = A*B. One-dimensional blocks of 64 threads, 8x8 tiles.
// A is m x l, B is l x n, C is m x n. Any sizes.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define IDX(r, c, ld) ((r) + (c) * (ld))
enum { E = 8 };

__global__ void mm_col(const double *A, const double *B, double *C, int m, int l, int n)
{
    __shared__ double at[E * E];
    __shared__ double bt[E * E];
    const int r = threadIdx.x % E;
    const int c = threadIdx.x / E;
    const int row = blockIdx.x * E + r;
    const int col = blockIdx.y * E + c;
    double sum = 0.0;

    for (int p = 0; p < l; p += E) {
        at[IDX(r, c, E)] = (row < m && p + c < l) ? A[IDX(row, p + c, m)] : 0.0;
        bt[IDX(r, c, E)] = (p + r < l && col < n) ? B[IDX(p + r, col, l)] : 0.0;
        __syncthreads();
        for (int q = 0; q < E; ++q)
            sum += at[IDX(r, q, E)] * bt[IDX(q, c, E)];
    }

    if (row < m && col < n)
        C[IDX(row, col, m)] = sum;
}

int main(int argc, char **argv)
{
    int m = 91, l = 150, n = 64;
    if (argc == 4) { m = atoi(argv[1]); l = atoi(argv[2]); n = atoi(argv[3]); }

    double *A, *B, *C;
    cudaMallocManaged(&A, sizeof(double) * m * l);
    cudaMallocManaged(&B, sizeof(double) * l * n);
    cudaMallocManaged(&C, sizeof(double) * m * n);
    for (int i = 0; i < m * l; ++i) A[i] = sin(0.1 * i);
    for (int i = 0; i < l * n; ++i) B[i] = cos(0.2 * i);

    dim3 grid((m + E - 1) / E, (n + E - 1) / E);
    mm_col<<<grid, E * E>>>(A, B, C, m, l, n);
    cudaDeviceSynchronize();

    double worst = 0.0;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            double s = 0.0;
            for (int k = 0; k < l; ++k)
                s += A[IDX(i, k, m)] * B[IDX(k, j, l)];
            worst = fmax(worst, fabs(s - C[IDX(i, j, m)]));
        }
    printf("max error %g\n", worst);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
