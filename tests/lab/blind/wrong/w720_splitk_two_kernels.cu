/* C = A * B for small M, N and a long inner dimension (ported from a Fortran/C post-processor).
 * Stage 1: every z-slice of the grid multiplies its own piece of the inner dimension.
 * Stage 2: the pieces are added.
 * All matrices column-major: A is m x k, B is k x n, C is m x n.
 * usage: splitk [m n k]
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define SPLITS 8
#define CM(i, j, rows) ((j) * (rows) + (i))

static void die(const char *what, cudaError_t e)
{
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    exit(EXIT_FAILURE);
}
#define CU(x) do { cudaError_t e = (x); if (e != cudaSuccess) die(#x, e); } while (0)

__global__ void stage1(int m, int n, int k, const float *a, const float *b, float *work)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    int piece = k / SPLITS;
    int l0 = blockIdx.z * piece;
    int l1 = l0 + piece;
    float s = 0.0f;

    if (i >= m || j >= n)
        return;
    if (l1 > k)
        l1 = k;
    for (int l = l0; l < l1; l++)
        s += a[CM(i, l, m)] * b[CM(l, j, k)];
    work[blockIdx.z * m * n + CM(i, j, m)] = s;
}

__global__ void stage2(int count, const float *work, float *c)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < count) {
        float s = 0.0f;
        for (int p = 0; p < SPLITS; p++)
            s += work[p * count + e];
        c[e] = s;
    }
}

int main(int argc, char **argv)
{
    int m = 20, n = 12, k = 4096, e;
    if (argc == 4) {
        m = atoi(argv[1]);
        n = atoi(argv[2]);
        k = atoi(argv[3]);
    }
    float *a = (float *)malloc(m * k * sizeof *a);
    float *b = (float *)malloc(k * n * sizeof *b);
    float *c = (float *)malloc(m * n * sizeof *c);
    for (e = 0; e < m * k; e++) a[e] = (float)(e % 5 - 2);
    for (e = 0; e < k * n; e++) b[e] = (float)(e % 3 - 1);

    float *da, *db, *dc, *work;
    CU(cudaMalloc((void **)&da, m * k * sizeof(float)));
    CU(cudaMalloc((void **)&db, k * n * sizeof(float)));
    CU(cudaMalloc((void **)&dc, m * n * sizeof(float)));
    CU(cudaMalloc((void **)&work, SPLITS * m * n * sizeof(float)));
    CU(cudaMemcpy(da, a, m * k * sizeof(float), cudaMemcpyHostToDevice));
    CU(cudaMemcpy(db, b, k * n * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(16, 8);
    dim3 grid((m + 15) / 16, (n + 7) / 8, SPLITS);
    stage1<<<grid, block>>>(m, n, k, da, db, work);
    CU(cudaGetLastError());
    stage2<<<(m * n + 127) / 128, 128>>>(m * n, work, dc);
    CU(cudaGetLastError());
    CU(cudaMemcpy(c, dc, m * n * sizeof(float), cudaMemcpyDeviceToHost));

    printf("c(1,1) = %g, c(m,n) = %g\n", c[0], c[m * n - 1]);
    cudaFree(da); cudaFree(db); cudaFree(dc); cudaFree(work);
    free(a); free(b); free(c);
    return 0;
}
