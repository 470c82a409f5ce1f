// 双精度点积：单个 kernel，由最后完成的线程块汇总各块的部分和
#include <cuda_runtime.h>
#include <algorithm>
#include <cstddef>

static __device__ unsigned int finishedBlocks = 0;

template <int BS>
__device__ double blockSum(double v, double *buf)
{
    const int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
#pragma unroll
    for (int s = BS / 2; s > 0; s >>= 1) {
        if (t < s) buf[t] += buf[t + s];
        __syncthreads();
    }
    return buf[0];
}

template <int BS>
__global__ void dotKernel(const double *__restrict__ a, const double *__restrict__ b, size_t n,
                          volatile double *partial, double *result)
{
    static_assert((BS & (BS - 1)) == 0, "BS 必须是 2 的幂");
    __shared__ double buf[BS];
    __shared__ bool isLast;

    // 1. 每个线程的部分和（网格跨步，展开两次）
    double s = 0.0;
    const size_t stride = (size_t)gridDim.x * BS;
    size_t i = (size_t)blockIdx.x * BS + threadIdx.x;
    for (; i + stride < n; i += 2 * stride)
        s += a[i] * b[i] + a[i + stride] * b[i + stride];
    if (i < n) s += a[i] * b[i];

    // 2. 块内归约
    const double blk = blockSum<BS>(s, buf);

    // 3. 发布部分和并取号；atomicInc 到达 gridDim.x-1 后自动归零，下次启动可直接使用
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blk;
        __threadfence();
        unsigned int ticket = atomicInc(&finishedBlocks, gridDim.x - 1);
        isLast = (ticket == gridDim.x - 1);
    }
    __syncthreads();

    // 4. 最后一个块求总和（isLast 对整个块一致，所以里面可以用 __syncthreads）
    if (isLast) {
        __threadfence();
        double t = 0.0;
        for (unsigned int j = threadIdx.x; j < gridDim.x; j += BS)
            t += partial[j];
        t = blockSum<BS>(t, buf);
        if (threadIdx.x == 0) *result = t;
    }
}

// a、b 为设备指针；返回点积。同一时间只能有一个调用（计数器是全局的）
double dotProduct(const double *a, const double *b, size_t n)
{
    if (n == 0) return 0.0;
    constexpr int BS = 256;
    const int blocks = (int)std::min<size_t>((n + BS - 1) / BS, 1024);

    double *work = nullptr;   // work[0..blocks-1] 部分和，work[blocks] 结果
    cudaMalloc(&work, (blocks + 1) * sizeof(double));
    dotKernel<BS><<<blocks, BS>>>(a, b, n, work, work + blocks);

    double r = 0.0;
    cudaMemcpy(&r, work + blocks, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(work);
    return r;
}
