// 向量点积:用 float4 读取,尾部单独处理
// 支持任意 n >= 0;指针没有 16 字节对齐时自动退回标量版本
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 256;
constexpr int kMaxBlocks = 1024;

template <bool kVec>
__global__ void dot_kernel(const float* __restrict__ x, const float* __restrict__ y,
                           long long n, float* __restrict__ out)
{
    const long long gid = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long step = (long long)gridDim.x * blockDim.x;
    float s = 0.f;

    if (kVec) {
        const long long n4 = n / 4;
        const float4* x4 = reinterpret_cast<const float4*>(x);
        const float4* y4 = reinterpret_cast<const float4*>(y);
        for (long long i = gid; i < n4; i += step) {
            float4 a = x4[i];
            float4 b = y4[i];
            s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
        // 剩下的不到四个元素
        for (long long i = n4 * 4 + gid; i < n; i += step)
            s += x[i] * y[i];
    } else {
        for (long long i = gid; i < n; i += step)
            s += x[i] * y[i];
    }

    // 线程束内求和
    for (int o = 16; o; o >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, o);

    __shared__ float part[kThreads / 32];
    if ((threadIdx.x & 31) == 0)
        part[threadIdx.x >> 5] = s;
    __syncthreads();

    if (threadIdx.x == 0) {
        float t = 0.f;
        for (int w = 0; w < kThreads / 32; ++w)
            t += part[w];
        atomicAdd(out, t);
    }
}

// 结果写到 d_out(设备内存,一个 float)
cudaError_t dot(const float* d_x, const float* d_y, long long n, float* d_out, cudaStream_t st)
{
    cudaError_t err = cudaMemsetAsync(d_out, 0, sizeof(float), st);
    if (err != cudaSuccess || n <= 0) return err;

    long long want = (n + kThreads - 1) / kThreads;
    int blocks = want > kMaxBlocks ? kMaxBlocks : (int)want;

    bool aligned = ((reinterpret_cast<uintptr_t>(d_x) | reinterpret_cast<uintptr_t>(d_y)) & 15) == 0;
    if (aligned)
        dot_kernel<true><<<blocks, kThreads, 0, st>>>(d_x, d_y, n, d_out);
    else
        dot_kernel<false><<<blocks, kThreads, 0, st>>>(d_x, d_y, n, d_out);
    return cudaGetLastError();
}
