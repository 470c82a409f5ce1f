#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#define DIM 20

__global__ void gemm20(float *c, const float *a, const float *b, int h, int w, int d)
{
    __shared__ float ta[DIM * DIM];
    __shared__ float tb[DIM * DIM];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int x = blockIdx.x * DIM + tx;
    int y = blockIdx.y * DIM + ty;
    float v = 0.0f;

    for (int s = 0; s < d; s += DIM) {
        ta[ty * DIM + tx] = 0.0f;
        tb[ty * DIM + tx] = 0.0f;
        if (y < h && s + tx < d)
            ta[ty * DIM + tx] = a[y * d + s + tx];
        if (x < w && s + ty < d)
            tb[ty * DIM + tx] = b[(s + ty) * w + x];
        __syncthreads();
        for (int k = 0; k < DIM; k++)
            v += ta[ty * DIM + k] * tb[k * DIM + tx];
        __syncthreads();
    }
    if (y < h || x < w)
        c[y * w + x] = v;
}

static int gemm_test(int h, int w, int d)
{
    float *a = (float *)malloc(h * d * sizeof(float));
    float *b = (float *)malloc(d * w * sizeof(float));
    float *c = (float *)malloc(h * w * sizeof(float));
    float *ga, *gb, *gc;
    int i, j, k, e = 0;
    for (i = 0; i < h * d; i++) a[i] = rand() % 4;
    for (i = 0; i < d * w; i++) b[i] = rand() % 4;
    cudaMalloc((void **)&ga, h * d * sizeof(float));
    cudaMalloc((void **)&gb, d * w * sizeof(float));
    cudaMalloc((void **)&gc, h * w * sizeof(float));
    cudaMemcpy(ga, a, h * d * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(gb, b, d * w * sizeof(float), cudaMemcpyHostToDevice);
    dim3 blk(DIM, DIM);
    dim3 grd((w + DIM - 1) / DIM, (h + DIM - 1) / DIM);
    gemm20<<<grd, blk>>>(gc, ga, gb, h, w, d);
    cudaMemcpy(c, gc, h * w * sizeof(float), cudaMemcpyDeviceToHost);
    for (i = 0; i < h; i++)
        for (j = 0; j < w; j++) {
            float s = 0;
            for (k = 0; k < d; k++) s += a[i * d + k] * b[k * w + j];
            if (s != c[i * w + j]) e++;
        }
    cudaFree(ga); cudaFree(gb); cudaFree(gc);
    free(a); free(b); free(c);
    return e;
}

int main(void)
{
    printf("%d\n", gemm_test(500, 300, 250));
    return 0;
}
