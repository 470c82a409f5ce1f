// 作业四：int8 矩阵乘法，int32 累加
// C(M×N) = A(M×K) * B(K×N)，行优先存储
// 线程块为 64×4，每个块计算 C 的 16 行 × 64 列，每个线程计算 4 行。
// M、N、K 任意；K 不超过 131071，保证 int32 不会溢出。
// 启动方式: dim3 block(64, 4); dim3 grid((N + 63) / 64, (M + 15) / 16);
#include <cuda_runtime.h>
#include <cstdint>

template <typename In, typename Acc, int ROWS, int COLS, int DEPTH, int BY>
struct GemmTile {
    static constexpr int kThreads = COLS * BY;
    static constexpr int kPerThread = ROWS / BY;

    In a[ROWS][DEPTH];
    In b[DEPTH][COLS];

    // 把 A、B 的一块搬到共享内存，越界处补零
    __device__ void load(const In *A, const In *B, int M, int N, int K,
                         int row0, int col0, int k0)
    {
        const int tid = threadIdx.y * COLS + threadIdx.x;
        for (int e = tid; e < ROWS * DEPTH; e += kThreads) {
            int r = e / DEPTH, d = e % DEPTH;
            bool in = (row0 + r < M) && (k0 + d < K);
            a[r][d] = in ? A[(int64_t)(row0 + r) * K + (k0 + d)] : In(0);
        }
        for (int d = threadIdx.y; d < DEPTH; d += BY) {
            int c = threadIdx.x;
            bool in = (k0 + d < K) && (col0 + c < N);
            b[d][c] = in ? B[(int64_t)(k0 + d) * N + (col0 + c)] : In(0);
        }
    }

    __device__ void multiply(Acc (&acc)[kPerThread]) const
    {
        for (int d = 0; d < DEPTH; ++d) {
            Acc bv = b[d][threadIdx.x];
#pragma unroll
            for (int i = 0; i < kPerThread; ++i)
                acc[i] += Acc(a[threadIdx.y * kPerThread + i][d]) * bv;
        }
    }
};

using Tile = GemmTile<int8_t, int32_t, 16, 64, 32, 4>;

__global__ void gemmInt8(const int8_t *A, const int8_t *B, int32_t *C, int M, int N, int K)
{
    __shared__ Tile tile;

    const int row0 = blockIdx.y * 16;
    const int col0 = blockIdx.x * 64;
    int32_t acc[Tile::kPerThread] = {};

    for (int k0 = 0; k0 < K; k0 += 32) {
        tile.load(A, B, M, N, K, row0, col0, k0);
        __syncthreads();
        tile.multiply(acc);
        __syncthreads();   // 计算完才能覆盖共享内存
    }

    const int col = col0 + threadIdx.x;
    for (int i = 0; i < Tile::kPerThread; ++i) {
        const int row = row0 + threadIdx.y * Tile::kPerThread + i;
        if (row < M && col < N)
            C[(int64_t)row * N + col] = acc[i];
    }
}
