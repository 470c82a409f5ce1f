/* CS 3xx - HW2: tiled matmul on ints so that the check can be exact */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

enum { TW = 8 };

/* C[h1 x w2] = A[h1 x w1] * B[w1 x w2], any sizes */
__global__ void mm(int *C, const int *A, const int *B, int h1, int w1, int w2)
{
    __shared__ int a[TW][TW + 1], b[TW][TW + 1];
    const int r = threadIdx.y, c = threadIdx.x;
    const int R = TW * blockIdx.y + r, Cc = TW * blockIdx.x + c;
    int acc = 0;
    int t;

    /* walk over the tiles along the shared dimension */
    for (t = 0; t < w1 / TW; ++t) {
        /* rows and columns that stick out are filled with 0 */
        a[r][c] = (R < h1 && t * TW + c < w1) ? A[R * w1 + t * TW + c] : 0;
        b[r][c] = (t * TW + r < w1 && Cc < w2) ? B[(t * TW + r) * w2 + Cc] : 0;
        __syncthreads();
        for (int i = 0; i < TW; ++i)
            acc += a[r][i] * b[i][c];
        __syncthreads();
    }
    if (R < h1 && Cc < w2)
        C[R * w2 + Cc] = acc;
}

static void fill(int *p, int n) { while (n--) *p++ = rand() % 19 - 9; }

static int test(int h1, int w1, int w2)
{
    size_t sa = sizeof(int) * h1 * w1, sb = sizeof(int) * w1 * w2, sc = sizeof(int) * h1 * w2;
    int *A = (int *)malloc(sa), *B = (int *)malloc(sb), *C = (int *)malloc(sc), *D = (int *)malloc(sc);
    int *gA, *gB, *gC, res;
    fill(A, h1 * w1);
    fill(B, w1 * w2);

    cudaMalloc((void **)&gA, sa);
    cudaMalloc((void **)&gB, sb);
    cudaMalloc((void **)&gC, sc);
    cudaMemcpy(gA, A, sa, cudaMemcpyHostToDevice);
    cudaMemcpy(gB, B, sb, cudaMemcpyHostToDevice);
    dim3 grid((w2 + TW - 1) / TW, (h1 + TW - 1) / TW), block(TW, TW);
    mm<<<grid, block>>>(gC, gA, gB, h1, w1, w2);
    cudaMemcpy(C, gC, sc, cudaMemcpyDeviceToHost);

    for (int i = 0; i < h1; ++i)
        for (int j = 0; j < w2; ++j) {
            D[i * w2 + j] = 0;
            for (int k = 0; k < w1; ++k)
                D[i * w2 + j] += A[i * w1 + k] * B[k * w2 + j];
        }
    res = memcmp(C, D, sc) == 0;
    printf("%4d %4d %4d  %s\n", h1, w1, w2, res ? "ok" : "bad");
    cudaFree(gA); cudaFree(gB); cudaFree(gC);
    free(A); free(B); free(C); free(D);
    return res;
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return !test(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    int ok = test(8, 8, 8) && test(64, 64, 64) && test(30, 40, 50) && test(9, 16, 7);
    return !ok;
}
