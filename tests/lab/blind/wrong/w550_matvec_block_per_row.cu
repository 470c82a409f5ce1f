// 矩阵乘向量：y = A * x，每个线程块负责一行
// A 为 m×n，行优先，lda 为行间距 (lda >= n)
// 启动: matvecRow<double><<<m, threads>>>(...)，threads 为 32 的倍数，最大 1024（一般取 128）
#include <cuda_runtime.h>

#define FULL 0xffffffffu

template <typename T>
__device__ __forceinline__ T warpReduce(T v)
{
#pragma unroll
    for (int s = 16; s > 0; s >>= 1)
        v += __shfl_down_sync(FULL, v, s);
    return v;
}

template <typename T>
__device__ T blockReduce(T v)
{
    __shared__ T warpSums[32];      // 最多 32 个 warp
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    v = warpReduce(v);
    if (lane == 0)
        warpSums[warp] = v;
    __syncthreads();

    // 第一个 warp 把各个 warp 的结果再加一次
    if (warp == 0) {
        v = warpSums[lane];
        v = warpReduce(v);
    }
    return v;
}

template <typename T>
__global__ void matvecRow(const T *A, int lda, const T *x, T *y, int m, int n)
{
    const int row = blockIdx.x;
    if (row >= m) return;           // 整个块一起退出

    const T *a = A + static_cast<size_t>(row) * lda;
    T sum = T(0);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        sum += a[j] * x[j];

    sum = blockReduce(sum);
    if (threadIdx.x == 0)
        y[row] = sum;
}

template __global__ void matvecRow<float>(const float *, int, const float *, float *, int, int);
template __global__ void matvecRow<double>(const double *, int, const double *, double *, int, int);
