#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <time.h>
#include <cuda_runtime.h>

typedef double real;
enum { BLOCKSIZE = 16 };

// square matrices of order n in double precision
__global__ void matmul(const real *a, const real *b, real *c, const int n)
{
    __shared__ real aTile[BLOCKSIZE][BLOCKSIZE];
    __shared__ real bTile[BLOCKSIZE][BLOCKSIZE];

    int i = blockIdx.y * BLOCKSIZE + threadIdx.y;
    int j = blockIdx.x * BLOCKSIZE + threadIdx.x;

    real cij = 0.0;
    for (int step = 0; step < n; step += BLOCKSIZE)
    {
        if (i < n && step + threadIdx.x < n)
            aTile[threadIdx.y][threadIdx.x] = a[i * n + step + threadIdx.x];
        else
            aTile[threadIdx.y][threadIdx.x] = 0.0;

        if (j < n && step + threadIdx.y < n)
            bTile[threadIdx.y][threadIdx.x] = b[(step + threadIdx.y) * n + j];
        else
            bTile[threadIdx.y][threadIdx.x] = 0.0;

        __syncthreads();

        for (int k = 0; k < BLOCKSIZE; k++)
            cij += aTile[threadIdx.y][k] * bTile[k][threadIdx.x];
    }

    if (i < n && j < n)
        c[i * n + j] = cij;
}

static void cpu_matmul(const real *a, const real *b, real *c, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
        {
            c[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    size_t bytes = sizeof(real) * n * n;
    real *a = (real *)malloc(bytes), *b = (real *)malloc(bytes);
    real *c = (real *)malloc(bytes), *ref = (real *)malloc(bytes);
    for (int i = 0; i < n * n; i++)
    {
        a[i] = (real)rand() / RAND_MAX;
        b[i] = (real)rand() / RAND_MAX;
    }

    clock_t start = clock();
    cpu_matmul(a, b, ref, n);
    fprintf(stderr, "cpu time %f s\n", (double)(clock() - start) / CLOCKS_PER_SEC);

    real *da, *db, *dc;
    cudaMalloc((void **)&da, bytes);
    cudaMalloc((void **)&db, bytes);
    cudaMalloc((void **)&dc, bytes);
    cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
    int blocks = (n + BLOCKSIZE - 1) / BLOCKSIZE;
    dim3 grid(blocks, blocks);
    dim3 block(BLOCKSIZE, BLOCKSIZE);
    matmul<<<grid, block>>>(da, db, dc, n);
    cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);

    int count = 0;
    for (int i = 0; i < n * n; i++)
        if (fabs(c[i] - ref[i]) > 1e-8)
            count++;
    printf("%d deviations\n", count);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c); free(ref);
    return 0;
}
