// y = A^T x  (A is m x n, row-major), double precision.
// Every block takes 32 columns and a slab of rows, reduces over its 8 thread
// rows in shared memory, and adds its share to y atomically.
// Build: nvcc -O2 -arch=sm_80 transposed_matvec.cu   (double atomics need sm_60)
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

enum { BX = 32, BY = 8, SLAB = 256 };

static void ok(cudaError_t e, int line)
{
    if (e == cudaSuccess) return;
    printf("line %d: %s\n", line, cudaGetErrorString(e));
    exit(2);
}
#define OK(x) ok((x), __LINE__)

__global__ void atx(const double *A, const double *x, double *y, int m, int n)
{
    __shared__ double part[BY][BX];

    int col   = blockIdx.x * BX + threadIdx.x;
    int first = blockIdx.y * SLAB;
    int last  = min(first + SLAB, m);

    double s = 0.0;
    if (col < n) {
        for (int r = first + threadIdx.y; r < last; r += BY)
            s += A[(size_t)r * n + col] * x[r];
    }
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();

    for (int h = BY / 2; h > 0; h /= 2) {
        if (threadIdx.y < h)
            part[threadIdx.y][threadIdx.x] += part[threadIdx.y + h][threadIdx.x];
        __syncthreads();
    }

    if (threadIdx.y == 0 && col < n)
        atomicAdd(&y[col], part[0][threadIdx.x]);
}

void host_atx(const double *A, const double *x, double *y, int m, int n)
{
    double *dA, *dx, *dy;
    size_t szA = (size_t)m * n * sizeof(double);
    OK(cudaMalloc((void **)&dA, szA));
    OK(cudaMalloc((void **)&dx, m * sizeof(double)));
    OK(cudaMalloc((void **)&dy, n * sizeof(double)));
    OK(cudaMemcpy(dA, A, szA, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(dx, x, m * sizeof(double), cudaMemcpyHostToDevice));
    OK(cudaMemset(dy, 0, n * sizeof(double)));      // atomics add on top

    dim3 threads(BX, BY);
    dim3 blocks((n + BX - 1) / BX, (m + SLAB - 1) / SLAB);
    atx<<<blocks, threads>>>(dA, dx, dy, m, n);
    OK(cudaGetLastError());

    OK(cudaMemcpy(y, dy, n * sizeof(double), cudaMemcpyDeviceToHost));
    OK(cudaFree(dA));
    OK(cudaFree(dx));
    OK(cudaFree(dy));
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 1000;
    int n = argc > 2 ? atoi(argv[2]) : 77;
    if (m < 1 || n < 1) return 1;

    double *A = (double *)malloc((size_t)m * n * sizeof(double));
    double *x = (double *)malloc(m * sizeof(double));
    double *y = (double *)malloc(n * sizeof(double));
    for (size_t i = 0; i < (size_t)m * n; i++) A[i] = rand() / (double)RAND_MAX;
    for (int i = 0; i < m; i++) x[i] = rand() / (double)RAND_MAX - 0.5;

    host_atx(A, x, y, m, n);

    double worst = 0;
    for (int j = 0; j < n; j++) {
        double ref = 0;
        for (int i = 0; i < m; i++) ref += A[(size_t)i * n + j] * x[i];
        worst = fmax(worst, fabs(ref - y[j]));
    }
    printf("m=%d n=%d  max error %g  %s\n", m, n, worst, worst < 1e-9 ? "PASSED" : "FAILED");
    free(A); free(x); free(y);
    return worst < 1e-9 ? 0 : 1;
}
