/* CS330 Parallel Programming, Lab 6, part (c)
 * Matrix times vector with vectorised loads. One block per row.
 * The number of columns has to be a multiple of 4 (checked in main).
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TPB 96            /* three warps */
#define NWARPS (TPB / 32)

__global__ void mv4(const float4 *A, const float4 *x, float *y, int cols4)
{
    __shared__ float ws[NWARPS];
    int row = blockIdx.x;
    const float4 *Ar = A + (size_t)row * cols4;

    float s = 0.0f;
    for (int c = threadIdx.x; c < cols4; c += TPB) {
        float4 p = Ar[c];
        float4 q = x[c];
        s += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }

    /* sum inside the warp */
    for (int off = 16; off > 0; off >>= 1)
        s += __shfl_down_sync(0xffffffff, s, off);
    if ((threadIdx.x & 31) == 0)
        ws[threadIdx.x >> 5] = s;
    __syncthreads();

    /* only three numbers are left, no need for anything clever */
    if (threadIdx.x == 0) {
        float t = 0.0f;
        for (int w = 0; w < NWARPS; w++) t += ws[w];
        y[row] = t;
    }
}

int main(int argc, char *argv[])
{
    int rows = 200, cols = 512;
    if (argc == 3) { rows = atoi(argv[1]); cols = atoi(argv[2]); }
    if (rows < 1 || rows > 10000 || cols < 4 || cols > 10000 || cols % 4 != 0) {
        fprintf(stderr, "bad sizes, cols must be a multiple of 4\n");
        return EXIT_FAILURE;
    }

    size_t szA = sizeof(float) * rows * cols;
    float *A = (float *)malloc(szA);
    float *x = (float *)malloc(sizeof(float) * cols);
    float *y = (float *)malloc(sizeof(float) * rows);
    srand(17);
    for (int i = 0; i < rows * cols; i++) A[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < cols; i++) x[i] = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dx, *dy;      /* cudaMalloc gives 256-byte alignment, so float4 is ok */
    cudaMalloc((void **)&dA, szA);
    cudaMalloc((void **)&dx, sizeof(float) * cols);
    cudaMalloc((void **)&dy, sizeof(float) * rows);
    cudaMemcpy(dA, A, szA, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, sizeof(float) * cols, cudaMemcpyHostToDevice);

    mv4<<<rows, TPB>>>((const float4 *)dA, (const float4 *)dx, dy, cols / 4);

    cudaMemcpy(y, dy, sizeof(float) * rows, cudaMemcpyDeviceToHost);

    double worst = 0.0;
    for (int r = 0; r < rows; r++) {
        double ref = 0.0;
        for (int c = 0; c < cols; c++) ref += (double)A[r * cols + c] * x[c];
        if (fabs(ref - y[r]) > worst) worst = fabs(ref - y[r]);
    }
    printf("largest difference %g\n", worst);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    free(A); free(x); free(y);
    return 0;
}
