// 作业三:矩阵乘向量 y = A x
// 每个 warp 负责一行,blockDim = (32, 8)
#include <cuda_runtime.h>

#define WARPS 8

__global__ void matvec(const float *A, const float *x, float *y, int rows, int cols)
{
    long long row = (long long)blockIdx.x * WARPS + threadIdx.y;
    if (row >= rows)
        return;                       // 整个 warp 一起退出

    const float *a = A + row * cols;
    float s = 0.0f;
    for (long long c = threadIdx.x; c < cols; c += 32)
        s += a[c] * x[c];

    // 蝶形归约
    for (int mask = 16; mask >= 1; mask /= 2)
        s += __shfl_xor_sync(0xffffffff, s, mask);

    if (threadIdx.x == 0)
        y[row] = s;
}

// 主机端接口:h_A 按行存储
int matvecHost(const float *h_A, const float *h_x, float *h_y, int rows, int cols)
{
    float *d_A = 0, *d_x = 0, *d_y = 0;
    size_t szA = (size_t)rows * cols * sizeof(float);

    if (rows < 1 || cols < 1) return -1;
    if (cudaMalloc(&d_A, szA) != cudaSuccess) return -1;
    if (cudaMalloc(&d_x, (size_t)cols * sizeof(float)) != cudaSuccess) { cudaFree(d_A); return -1; }
    if (cudaMalloc(&d_y, (size_t)rows * sizeof(float)) != cudaSuccess) { cudaFree(d_A); cudaFree(d_x); return -1; }

    cudaMemcpy(d_A, h_A, szA, cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, h_x, (size_t)cols * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(32, WARPS);
    int grid = (rows - 1) / WARPS + 1;
    matvec<<<grid, block>>>(d_A, d_x, d_y, rows, cols);

    cudaError_t e = cudaMemcpy(h_y, d_y, (size_t)rows * sizeof(float), cudaMemcpyDeviceToHost);

    cudaFree(d_A);
    cudaFree(d_x);
    cudaFree(d_y);
    return e == cudaSuccess ? 0 : -1;
}
