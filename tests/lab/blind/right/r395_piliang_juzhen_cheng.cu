// 批量矩阵乘法(双缓冲共享内存)
//   对每个 b:  C_b = A_b * B_b
//   A_b: m×k, B_b: k×n, C_b: m×n, 行主序, 相邻两个矩阵之间的跨度分别为 strideA/B/C
//   (跨度为 0 表示所有批次共用同一个矩阵, C 除外)
// 一个线程算 C 的一个元素; blockIdx.z 在批次上循环, 所以批次数没有 65535 的限制。
// m, n, k, batch 均 >= 1, 其余任意 (m <= 65535*TS)。block 必须是 dim3(TS, TS)。
#include <cuda_runtime.h>

template <typename T, int TS>
__global__ void gemmBatched(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C,
                            int m, int n, int k,
                            long long strideA, long long strideB, long long strideC, int batch)
{
    __shared__ T bufA[2][TS][TS];
    __shared__ T bufB[2][TS][TS + 1];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;
    const int numTiles = (k + TS - 1) / TS;

    for (int b = blockIdx.z; b < batch; b += gridDim.z)
    {
        const T* Ab = A + b * strideA;
        const T* Bb = B + b * strideB;

        auto load = [&](int t, int which) {
            const int ka = t * TS + tx;
            const int kb = t * TS + ty;
            bufA[which][ty][tx] = (row < m && ka < k) ? Ab[(long long)row * k + ka] : T(0);
            bufB[which][ty][tx] = (kb < k && col < n) ? Bb[(long long)kb * n + col] : T(0);
        };

        T sum = T(0);
        int cur = 0;
        load(0, 0);                 // 先取第 0 块
        __syncthreads();

        for (int t = 0; t < numTiles; ++t)
        {
            if (t + 1 < numTiles)   // 取下一块到另一个缓冲区
                load(t + 1, cur ^ 1);

            #pragma unroll
            for (int p = 0; p < TS; ++p)
                sum += bufA[cur][ty][p] * bufB[cur][p][tx];

            __syncthreads();        // 两个方向都安全: 读完了, 也写完了
            cur ^= 1;
        }

        if (row < m && col < n)
            C[b * strideC + (long long)row * n + col] = sum;
    }
}

template __global__ void gemmBatched<float, 16>(const float*, const float*, float*, int, int, int,
                                                long long, long long, long long, int);
template __global__ void gemmBatched<double, 16>(const double*, const double*, double*, int, int, int,
                                                 long long, long long, long long, int);

// 用法:
//   dim3 block(16, 16);
//   dim3 grid((n + 15) / 16, (m + 15) / 16, min(batch, 64));
//   gemmBatched<float, 16><<<grid, block>>>(dA, dB, dC, m, n, k,
//       (long long)m * k, (long long)k * n, (long long)m * n, batch);
