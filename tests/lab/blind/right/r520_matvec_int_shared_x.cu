// 实验二：整数矩阵乘向量 y = A * x
// 每个线程负责一行，x 分段放进共享内存，所有线程一起使用
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define BLOCK 128

__global__ void matvec(const int *A, const int *x, long long *y, int rows, int cols)
{
    __shared__ int xs[BLOCK];
    int r = blockIdx.x * BLOCK + threadIdx.x;
    long long sum = 0;

    for (int start = 0; start < cols; start += BLOCK) {
        // 每个线程搬一个元素
        int c = start + threadIdx.x;
        if (c < cols)
            xs[threadIdx.x] = x[c];
        __syncthreads();

        // 最后一段可能不满
        int len = cols - start;
        if (len > BLOCK) len = BLOCK;
        if (r < rows) {
            for (int k = 0; k < len; k++)
                sum += (long long)A[(size_t)r * cols + start + k] * xs[k];
        }
        __syncthreads();   // 等所有线程用完再覆盖 xs
    }

    if (r < rows)
        y[r] = sum;
}

int main(int argc, char **argv)
{
    int rows = 300, cols = 1000;
    if (argc > 2) {
        rows = atoi(argv[1]);
        cols = atoi(argv[2]);
    }
    if (rows <= 0 || cols <= 0) {
        printf("大小不对\n");
        return 1;
    }

    size_t na = (size_t)rows * cols;
    int *A = (int *)malloc(na * sizeof(int));
    int *x = (int *)malloc(cols * sizeof(int));
    long long *y = (long long *)malloc(rows * sizeof(long long));
    for (size_t i = 0; i < na; i++) A[i] = rand() % 100000 - 50000;
    for (int i = 0; i < cols; i++) x[i] = rand() % 100000 - 50000;

    int *dA, *dx;
    long long *dy;
    cudaMalloc((void **)&dA, na * sizeof(int));
    cudaMalloc((void **)&dx, cols * sizeof(int));
    cudaMalloc((void **)&dy, rows * sizeof(long long));
    cudaMemcpy(dA, A, na * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, cols * sizeof(int), cudaMemcpyHostToDevice);

    matvec<<<(rows + BLOCK - 1) / BLOCK, BLOCK>>>(dA, dx, dy, rows, cols);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        printf("错误: %s\n", cudaGetErrorString(err));
        return 1;
    }
    cudaMemcpy(y, dy, rows * sizeof(long long), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < rows; i++) {
        long long s = 0;
        for (int j = 0; j < cols; j++)
            s += (long long)A[(size_t)i * cols + j] * x[j];
        if (s != y[i]) wrong++;
    }
    printf(wrong ? "结果错误\n" : "结果正确\n");

    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    free(A); free(x); free(y);
    return 0;
}
