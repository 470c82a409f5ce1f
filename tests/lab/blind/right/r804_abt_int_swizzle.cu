// C = A * B^T，整数矩阵
// A 是 M x K，B 是 N x K，C 是 M x N，全部按行存储。
// M、N、K 为 1 到 40000 之间的任意整数，元素很小，累加不会超出 int。
// 每个线程块计算 C 的一个 T x T 子块，每个线程一个元素。
#include <cuda_runtime.h>

#define T 32

__global__ __launch_bounds__(T * T) void matmul_abt(const int *A, const int *B, int *C,
                                                    int M, int N, int K)
{
    // 不加 padding，用异或交换列号来避免 bank 冲突
    __shared__ int sa[T][T];
    __shared__ int sb[T][T];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * T + ty;       // C 的行
    int col = blockIdx.x * T + tx;       // C 的列
    int brow = blockIdx.x * T + ty;      // 装载 B 时用的行

    int sum = 0;
    for (int k0 = 0; k0 < K; k0 += T) {
        int k = k0 + tx;
        bool inside = k < K;

        sa[ty][tx] = (inside && row < M) ? A[row * K + k] : 0;
        sb[ty][tx ^ ty] = (inside && brow < N) ? B[brow * K + k] : 0;
        __syncthreads();

        #pragma unroll
        for (int q = 0; q < T; q++)
            sum += sa[ty][q] * sb[tx][q ^ tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}
