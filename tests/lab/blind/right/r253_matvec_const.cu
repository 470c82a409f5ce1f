/* y = A x, A is rows x cols (row-major), x goes through constant memory in chunks,
   so cols may be larger than the constant bank. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define CHUNK 4096                 /* 4096 doubles = 32 KiB of the 64 KiB bank */
__constant__ double xChunk[CHUNK];

#define OK(call) do { cudaError_t s = (call); if (s != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(s)); exit(1); } } while (0)

/* adds the contribution of columns first .. first+count-1 to y */
__global__ void matvecChunk(const double *A, double *y, int rows, int cols, int first, int count)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const double *line = A + (size_t)r * cols + first;
    double s = 0.0;
    for (int c = 0; c < count; c++)
        s += line[c] * xChunk[c];
    y[r] += s;
}

static void matvec(const double *hA, const double *hx, double *hy, int rows, int cols)
{
    double *dA, *dy;
    OK(cudaMalloc((void **)&dA, (size_t)rows * cols * sizeof(double)));
    OK(cudaMalloc((void **)&dy, (size_t)rows * sizeof(double)));
    OK(cudaMemcpy(dA, hA, (size_t)rows * cols * sizeof(double), cudaMemcpyHostToDevice));
    OK(cudaMemset(dy, 0, (size_t)rows * sizeof(double)));

    int threads = 128;
    int blocks = (rows + threads - 1) / threads;
    for (int first = 0; first < cols; first += CHUNK) {
        int count = cols - first < CHUNK ? cols - first : CHUNK;
        OK(cudaMemcpyToSymbol(xChunk, hx + first, (size_t)count * sizeof(double)));
        matvecChunk<<<blocks, threads>>>(dA, dy, rows, cols, first, count);
        OK(cudaGetLastError());
    }
    OK(cudaMemcpy(hy, dy, (size_t)rows * sizeof(double), cudaMemcpyDeviceToHost));
    OK(cudaFree(dA));
    OK(cudaFree(dy));
}

int main(void)
{
    int rows = 300, cols = 5000;
    double *A = (double *)malloc((size_t)rows * cols * sizeof(double));
    double *x = (double *)malloc((size_t)cols * sizeof(double));
    double *y = (double *)malloc((size_t)rows * sizeof(double));
    if (!A || !x || !y) return 1;
    for (int i = 0; i < rows * cols; i++) A[i] = (i % 13) * 0.25;
    for (int i = 0; i < cols; i++) x[i] = (i % 3) - 1.0;

    matvec(A, x, y, rows, cols);

    double worst = 0.0;
    for (int r = 0; r < rows; r++) {
        double s = 0.0;
        for (int c = 0; c < cols; c++) s += A[(size_t)r * cols + c] * x[c];
        if (fabs(s - y[r]) > worst) worst = fabs(s - y[r]);
    }
    printf("largest difference %g\n", worst);
    free(A);
    free(x);
    free(y);
    return worst > 1e-9;
}
