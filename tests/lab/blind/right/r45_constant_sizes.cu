// the sizes live in constant memory
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

struct Sizes { int m, n, k; };
__constant__ Sizes d_sizes;

#define TILE_SIZE 16
#define IDX(i, j, ld) ((i) * (ld) + (j))

__global__ void matmul_const(const float* a, const float* b, float* c)
{
    __shared__ float at[TILE_SIZE][TILE_SIZE];
    __shared__ float bt[TILE_SIZE][TILE_SIZE];

    int i = blockIdx.y * TILE_SIZE + threadIdx.y;
    int j = blockIdx.x * TILE_SIZE + threadIdx.x;
    float sum = 0.0f;

    for (int p = 0; p < d_sizes.k; p += TILE_SIZE) {
        int ja = p + threadIdx.x;
        int ib = p + threadIdx.y;
        at[threadIdx.y][threadIdx.x] = (i < d_sizes.m && ja < d_sizes.k) ? a[IDX(i, ja, d_sizes.k)] : 0.0f;
        bt[threadIdx.y][threadIdx.x] = (ib < d_sizes.k && j < d_sizes.n) ? b[IDX(ib, j, d_sizes.n)] : 0.0f;
        __syncthreads();
        for (int q = 0; q < TILE_SIZE; q++)
            sum += at[threadIdx.y][q] * bt[q][threadIdx.x];
        __syncthreads();
    }
    if (i < d_sizes.m && j < d_sizes.n)
        c[IDX(i, j, d_sizes.n)] = sum;
}

int main()
{
    Sizes s = {130, 200, 75};
    cudaMemcpyToSymbol(d_sizes, &s, sizeof(Sizes));

    float* a = (float*)calloc(s.m * s.k, sizeof(float));
    float* b = (float*)calloc(s.k * s.n, sizeof(float));
    float* c = (float*)calloc(s.m * s.n, sizeof(float));
    for (int i = 0; i < s.m; i++)
        for (int j = 0; j < s.k; j++) a[IDX(i, j, s.k)] = (i + j) % 10 * 0.1f;
    for (int i = 0; i < s.k; i++)
        for (int j = 0; j < s.n; j++) b[IDX(i, j, s.n)] = (i - j) % 10 * 0.1f;

    float *da, *db, *dc;
    cudaMalloc(&da, s.m * s.k * sizeof(float));
    cudaMalloc(&db, s.k * s.n * sizeof(float));
    cudaMalloc(&dc, s.m * s.n * sizeof(float));
    cudaMemcpy(da, a, s.m * s.k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, s.k * s.n * sizeof(float), cudaMemcpyHostToDevice);

    dim3 dimBlock(TILE_SIZE, TILE_SIZE);
    dim3 dimGrid((s.n + TILE_SIZE - 1) / TILE_SIZE, (s.m + TILE_SIZE - 1) / TILE_SIZE);
    matmul_const<<<dimGrid, dimBlock>>>(da, db, dc);
    cudaMemcpy(c, dc, s.m * s.n * sizeof(float), cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int i = 0; i < s.m; i++)
        for (int j = 0; j < s.n; j++) {
            float r = 0;
            for (int k = 0; k < s.k; k++) r += a[IDX(i, k, s.k)] * b[IDX(k, j, s.n)];
            if (!(fabs(r - c[IDX(i, j, s.n)]) <= 1e-3)) ok = false;
        }
    printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return ok ? 0 : 1;
}
