#include <cuda_fp16.h>

// 批量矩阵乘法: C[b] = A[b] * B[b]^T
//   A[b]: M x K 行主序 (half)     B[b]: N x K 行主序 (half)     C[b]: M x N 行主序 (float)
//   相邻两个矩阵之间的距离 strideA / strideB / strideC, 单位是元素
// 要求: K 为偶数, strideA 和 strideB 为偶数, 指针 4 字节对齐; M, N 任意
// 启动: block = (16,16), grid = ((N+15)/16, (M+15)/16, batch)
__global__ void bmm_nt(const half *A, const half *B, float *C, int M, int N, int K,
                       long long strideA, long long strideB, long long strideC)
{
    __shared__ half2 sa[16][17];
    __shared__ half2 sb[16][17];

    const half2 *a2 = reinterpret_cast<const half2 *>(A + blockIdx.z * strideA);
    const half2 *b2 = reinterpret_cast<const half2 *>(B + blockIdx.z * strideB);
    const int K2 = K / 2;               // 每行 half2 的个数

    const int x = threadIdx.x, y = threadIdx.y;
    const int m0 = blockIdx.y * 16, n0 = blockIdx.x * 16;
    const half2 zero = __floats2half2_rn(0.f, 0.f);

    float sum = 0.f;
    for (int q = 0; q < K2; q += 16) {
        // 两个矩阵都沿 K 方向连续读取
        sa[y][x] = (m0 + y < M && q + x < K2) ? a2[(size_t)(m0 + y) * K2 + q + x] : zero;
        sb[y][x] = (n0 + y < N && q + x < K2) ? b2[(size_t)(n0 + y) * K2 + q + x] : zero;
        __syncthreads();
#pragma unroll
        for (int t = 0; t < 16; ++t) {
            float2 u = __half22float2(sa[y][t]);
            float2 v = __half22float2(sb[x][t]);
            sum += u.x * v.x;
            sum += u.y * v.y;
        }
        __syncthreads();
    }

    if (m0 + y < M && n0 + x < N)
        C[blockIdx.z * strideC + (long long)(m0 + y) * N + n0 + x] = sum;
}
