// 作业三:约化矩阵乘法(不用共享内存的版本)
// C[i][j] = sum_p (A[2i][p] + A[2i+1][p]) * (B[p][2j] + B[p][2j+1])
// m 和 n 必须是偶数,k 任意
#include <cuda_runtime.h>
#include <cstdio>

#define BX 32
#define BY 4

#define CUDA_CHECK(call)                                                   \
    {                                                                      \
        cudaError_t err_ = (call);                                         \
        if (err_ != cudaSuccess) {                                         \
            printf("CUDA error: %s\n", cudaGetErrorString(err_));          \
            return false;                                                  \
        }                                                                  \
    }

__global__ void reduced_gemm(const double *a, const double *b, double *c, int m, int n, int k)
{
    int j = blockIdx.x * BX + threadIdx.x;
    int i = blockIdx.y * BY + threadIdx.y;
    if (i >= m / 2 || j >= n / 2)
        return;

    const double *a0 = a + (size_t)(2 * i) * k;
    const double *a1 = a0 + k;
    double s = 0.0;
    for (int p = 0; p < k; ++p) {
        const double *bp = b + (size_t)p * n + 2 * j;
        s += (a0[p] + a1[p]) * (bp[0] + bp[1]);
    }
    c[(size_t)i * (n / 2) + j] = s;
}

bool reduced_matmul(const double *h_a, const double *h_b, double *h_c, int m, int n, int k)
{
    if (m % 2 || n % 2) {
        printf("m and n must be even\n");
        return false;
    }
    size_t size_a = sizeof(double) * m * k;
    size_t size_b = sizeof(double) * k * n;
    size_t size_c = sizeof(double) * (m / 2) * (n / 2);

    double *d_a, *d_b, *d_c;
    CUDA_CHECK(cudaMalloc(&d_a, size_a));
    CUDA_CHECK(cudaMalloc(&d_b, size_b));
    CUDA_CHECK(cudaMalloc(&d_c, size_c));
    CUDA_CHECK(cudaMemcpy(d_a, h_a, size_a, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_b, h_b, size_b, cudaMemcpyHostToDevice));

    // 每个线程计算 C 的一个元素
    dim3 block(BX, BY);
    dim3 grid((n / 2 + BX - 1) / BX, m / (2 * BY));
    reduced_gemm<<<grid, block>>>(d_a, d_b, d_c, m, n, k);
    CUDA_CHECK(cudaGetLastError());

    CUDA_CHECK(cudaMemcpy(h_c, d_c, size_c, cudaMemcpyDeviceToHost));
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return true;
}
