/* Exercise 6. Options at compile time:
 *   -DUSE_PADDING   one extra column in shared memory
 *   -DNAIVE         use the simple kernel
 *   -DTILE=...      tile size (default 16)
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#ifndef TILE
#define TILE 16
#endif

#ifdef USE_PADDING
#define PAD 1
#else
#define PAD 0
#endif

#ifdef NAIVE
__global__ void gpuMatMul(const float *a, const float *b, float *c, int m, int n, int p)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m && j < p) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++)
            sum += a[i * n + k] * b[k * p + j];
        c[i * p + j] = sum;
    }
}
#else
__global__ void gpuMatMul(const float *a, const float *b, float *c, int m, int n, int p)
{
    __shared__ float sa[TILE][TILE + PAD];
    __shared__ float sb[TILE][TILE + PAD];
    int i = blockIdx.y * TILE + threadIdx.y;
    int j = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    int t, k;

    for (t = 0; t < n; t += TILE) {
        if (i < m && t + (int)threadIdx.x < n)
            sa[threadIdx.y][threadIdx.x] = a[i * n + t + threadIdx.x];
        else
            sa[threadIdx.y][threadIdx.x] = 0.0f;
        if (t + (int)threadIdx.y < n && j < p)
            sb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * p + j];
        else
            sb[threadIdx.y][threadIdx.x] = 0.0f;
        __syncthreads();
        for (k = 0; k < TILE; k++)
            sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    if (i < m && j < p)
        c[i * p + j] = sum;
}
#endif

static void cpuMatMul(const float *a, const float *b, float *c, int m, int n, int p)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < p; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * p + j];
            c[i * p + j] = sum;
        }
}

int main(int argc, char **argv)
{
    int m = 100, n = 250, p = 175;
    size_t sza = m * n * sizeof(float), szb = n * p * sizeof(float), szc = m * p * sizeof(float);
    float *a = (float *)malloc(sza), *b = (float *)malloc(szb);
    float *c = (float *)malloc(szc), *ref = (float *)malloc(szc);
    srand(7);
    for (int i = 0; i < m * n; i++) a[i] = (float)rand() / RAND_MAX;
    for (int i = 0; i < n * p; i++) b[i] = (float)rand() / RAND_MAX;

    float *da, *db, *dc;
    cudaMalloc((void **)&da, sza);
    cudaMalloc((void **)&db, szb);
    cudaMalloc((void **)&dc, szc);
    cudaMemcpy(da, a, sza, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, szb, cudaMemcpyHostToDevice);
    dim3 block(TILE, TILE);
    dim3 grid((p + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    gpuMatMul<<<grid, block>>>(da, db, dc, m, n, p);
    cudaMemcpy(c, dc, szc, cudaMemcpyDeviceToHost);

    cpuMatMul(a, b, ref, m, n, p);
    float maxErr = 0.0f;
    for (int i = 0; i < m * p; i++) {
        float e = fabsf(ref[i] - c[i]);
        if (e > maxErr || isnan(e)) maxErr = isnan(e) ? 1e30f : e;
    }
#ifdef VERBOSE
    printf("max error: %e\n", maxErr);
#endif
    printf("%s\n", maxErr < 1e-3f ? "OK" : "BAD");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c); free(ref);
    return maxErr < 1e-3f ? 0 : 1;
}
