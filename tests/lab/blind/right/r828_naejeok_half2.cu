// half 벡터 두 개의 내적, 누적은 float
// 두 원소씩 __half2 로 읽고, n 이 홀수이면 마지막 원소는 스레드 하나가 처리한다.
// a, b 는 cudaMalloc 으로 받은 주소 그대로 넘긴다.
#include <algorithm>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr unsigned MASK = 0xffffffffu;

__device__ inline float warpSum(float v)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(MASK, v, d);
    return v;
}

__global__ void __launch_bounds__(BLOCK)
dotHalf(const __half* __restrict__ a, const __half* __restrict__ b,
        float* out, size_t n)
{
    __shared__ float warpBuf[BLOCK / 32];

    const auto* a2 = reinterpret_cast<const __half2*>(a);
    const auto* b2 = reinterpret_cast<const __half2*>(b);
    const size_t n2 = n / 2;
    const size_t first = size_t(blockIdx.x) * BLOCK + threadIdx.x;

    float sum = 0.f;
    for (size_t i = first; i < n2; i += size_t(gridDim.x) * BLOCK) {
        const float2 x = __half22float2(a2[i]);
        const float2 y = __half22float2(b2[i]);
        sum += x.x * y.x + x.y * y.y;
    }
    if (first == 0 && (n & 1))
        sum += __half2float(a[n - 1]) * __half2float(b[n - 1]);

    sum = warpSum(sum);
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    if (lane == 0) warpBuf[warp] = sum;
    __syncthreads();

    if (warp != 0) return;
    sum = lane < BLOCK / 32 ? warpBuf[lane] : 0.f;
    sum = warpSum(sum);
    if (lane == 0) atomicAdd(out, sum);
}

// out 은 디바이스 메모리의 float 하나 (여기서 0 으로 초기화)
cudaError_t dot(const __half* a, const __half* b, float* out, size_t n, cudaStream_t s)
{
    if (auto e = cudaMemsetAsync(out, 0, sizeof(float), s); e != cudaSuccess || n == 0)
        return e;
    const size_t need = (n / 2 + BLOCK) / BLOCK;
    dotHalf<<<unsigned(std::min<size_t>(need, 864)), BLOCK, 0, s>>>(a, b, out, n);
    return cudaGetLastError();
}
