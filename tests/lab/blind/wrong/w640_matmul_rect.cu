/*
 * Rectangular matrix product with 16x16 shared tiles.
 * Sizes are free; entries beyond the border count as zero.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define W 16

__global__ void mat_mul(const double *a, const double *b, double *c,
                        int rows, int inner, int cols)
{
    __shared__ double ta[W][W];
    __shared__ double tb[W][W];
    int i = blockIdx.y * W + threadIdx.y;
    int j = blockIdx.x * W + threadIdx.x;

    if (i >= rows || j >= cols)
        return;

    double sum = 0.0;
    int tiles = (inner + W - 1) / W;
    for (int t = 0; t < tiles; t++) {
        int x = t * W + threadIdx.x;
        int y = t * W + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = x < inner ? a[i * inner + x] : 0.0;
        tb[threadIdx.y][threadIdx.x] = y < inner ? b[y * cols + j] : 0.0;
        __syncthreads();
        for (int p = 0; p < W; p++)
            sum += ta[threadIdx.y][p] * tb[p][threadIdx.x];
        __syncthreads();
    }
    c[i * cols + j] = sum;
}

int main(void)
{
    int rows = 90, inner = 64, cols = 75;
    size_t sa = (size_t)rows * inner * sizeof(double);
    size_t sb = (size_t)inner * cols * sizeof(double);
    size_t sc = (size_t)rows * cols * sizeof(double);
    double *a = (double *)malloc(sa), *b = (double *)malloc(sb), *c = (double *)malloc(sc);
    for (int i = 0; i < rows * inner; i++) a[i] = rand() / (double)RAND_MAX;
    for (int i = 0; i < inner * cols; i++) b[i] = rand() / (double)RAND_MAX;

    double *da, *db, *dc;
    cudaMalloc((void **)&da, sa);
    cudaMalloc((void **)&db, sb);
    cudaMalloc((void **)&dc, sc);
    cudaMemcpy(da, a, sa, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sb, cudaMemcpyHostToDevice);

    dim3 threads(W, W);
    dim3 blocks((cols + W - 1) / W, (rows + W - 1) / W);
    mat_mul<<<blocks, threads>>>(da, db, dc, rows, inner, cols);
    cudaMemcpy(c, dc, sc, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double s = 0.0;
            for (int p = 0; p < inner; p++) s += a[i * inner + p] * b[p * cols + j];
            if (fabs(s - c[i * cols + j]) > 1e-9) wrong++;
        }
    printf("%d of %d elements differ\n", wrong, rows * cols);

    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return 0;
}
