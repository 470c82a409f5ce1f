// 约化矩阵乘法：C (m/2 x n/2)，A 的行两两相加，B 的列两两相加，再相乘
// m、n 为偶数，k 任意
#include <cuda_runtime.h>
#include <cstdio>

#define TM 8      // 每个线程块的行数
#define TN 32     // 每个线程块的列数
#define TK 32

__global__ void reduced_mm(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float as[TM][TK];
    __shared__ float bs[TK][TN];
    int tx = threadIdx.x, ty = threadIdx.y;
    int mh = m / 2, nh = n / 2;
    int row = blockIdx.y * TM + ty;
    int col = blockIdx.x * TN + tx;

    // 一个块对应 A 的 2*TM 行，前一半加后一半
    int r0 = blockIdx.y * 2 * TM + ty;
    int r1 = r0 + TM;

    float sum = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TK) {
        float v = 0.0f;
        if (k0 + tx < k) {
            if (r0 < m) v += A[r0 * k + k0 + tx];
            if (r1 < m) v += A[r1 * k + k0 + tx];
        }
        as[ty][tx] = v;

        // B：每个线程读 4 对
        for (int p = ty; p < TK; p += TM) {
            if (k0 + p < k && col < nh)
                bs[p][tx] = B[(k0 + p) * n + 2 * col] + B[(k0 + p) * n + 2 * col + 1];
            else
                bs[p][tx] = 0.0f;
        }
        __syncthreads();

        for (int q = 0; q < TK; q++)
            sum += as[ty][q] * bs[q][tx];
        __syncthreads();
    }

    if (row < mh && col < nh)
        C[row * nh + col] = sum;
}

// 参数都是设备指针
int run_reduced(const float *dA, const float *dB, float *dC, int m, int k, int n)
{
    if (m % 2 != 0 || n % 2 != 0) {
        printf("m 和 n 必须是偶数\n");
        return -1;
    }
    dim3 block(TN, TM);
    dim3 grid((n / 2 + TN - 1) / TN, (m / 2 + TM - 1) / TM);
    reduced_mm<<<grid, block>>>(dA, dB, dC, m, k, n);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : -1;
}
