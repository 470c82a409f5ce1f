// 作业二：方阵乘法（共享内存版本）
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BK 32

__global__ void juzhenCheng(float *a, float *b, float *c, int n)
{
    __shared__ float ta[BK][BK];
    __shared__ float tb[BK][BK];
    int hang = blockIdx.y * BK + threadIdx.y;
    int lie = blockIdx.x * BK + threadIdx.x;
    float he = 0.0f;

    for (int i = 0; i < n; i += BK) {
        if (hang < n && i + threadIdx.x < n)
            ta[threadIdx.y][threadIdx.x] = a[hang * n + i + threadIdx.x];
        else
            ta[threadIdx.y][threadIdx.x] = 0.0f;
        if (i + threadIdx.y < n && lie < n)
            tb[threadIdx.y][threadIdx.x] = b[(i + threadIdx.y) * n + lie];
        else
            tb[threadIdx.y][threadIdx.x] = 0.0f;
        __syncthreads();
        for (int k = 0; k < BK; k++)
            he += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    if (hang < n && lie < n)
        c[hang * n + lie] = he;
}

int main()
{
    int n = 250;
    float *a = (float *)malloc(n * n * sizeof(float));
    float *b = (float *)malloc(n * n * sizeof(float));
    float *c = (float *)malloc(n * n * sizeof(float));
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(rand() % 10);
        b[i] = (float)(rand() % 10);
    }

    float *da, *db, *dc;
    cudaMalloc((void **)&da, n * n * sizeof(float));
    cudaMalloc((void **)&db, n * n * sizeof(float));
    cudaMalloc((void **)&dc, n * n * sizeof(float));

    // 拷贝到显存
    cudaMemcpy(da, a, n * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * n, cudaMemcpyHostToDevice);

    dim3 kuai(BK, BK);
    dim3 wang((n + BK - 1) / BK, (n + BK - 1) / BK);
    juzhenCheng<<<wang, kuai>>>(da, db, dc, n);
    if (cudaGetLastError() != cudaSuccess) {
        printf("启动失败\n");
        return 1;
    }
    cudaMemcpy(c, dc, n * n * sizeof(float), cudaMemcpyDeviceToHost);

    int cuowu = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int k = 0; k < n; k++)
                s += a[i * n + k] * b[k * n + j];
            if (fabsf(s - c[i * n + j]) > 1e-2f) cuowu++;
        }
    }
    printf("错误个数: %d\n", cuowu);

    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    free(a);
    free(b);
    free(c);
    return 0;
}
