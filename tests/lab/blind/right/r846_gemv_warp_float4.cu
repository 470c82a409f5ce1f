#include <cuda_runtime.h>
#include <stdexcept>

__global__ void gemv_w(const float4* __restrict__ A, const float4* __restrict__ x,
                       float* __restrict__ y, int rows, int n4)
{
    const int row  = blockIdx.x * blockDim.y + threadIdx.y;
    const int lane = threadIdx.x;
    if (row >= rows) return;

    const float4* a = A + (size_t)row * n4;
    float s0 = 0.f, s1 = 0.f;
    for (int c = lane; c < n4; c += 32) {
        const float4 p = a[c];
        const float4 q = __ldg(x + c);
        s0 += p.x * q.x + p.z * q.z;
        s1 += p.y * q.y + p.w * q.w;
    }
    float s = s0 + s1;
    s += __shfl_down_sync(0xffffffff, s, 16);
    s += __shfl_down_sync(0xffffffff, s, 8);
    s += __shfl_down_sync(0xffffffff, s, 4);
    s += __shfl_down_sync(0xffffffff, s, 2);
    s += __shfl_down_sync(0xffffffff, s, 1);
    if (lane == 0) y[row] = s;
}

// y = A x, A is rows x cols row-major without padding
void gemv(const float* A, const float* x, float* y, int rows, int cols, cudaStream_t stream = 0)
{
    if (cols % 4) throw std::invalid_argument("cols must be a multiple of 4");
    if (((size_t)A | (size_t)x) & 15) throw std::invalid_argument("A and x must be 16-byte aligned");
    if (rows < 1) return;
    const dim3 block(32, 6);
    gemv_w<<<(rows + 5) / 6, block, 0, stream>>>(reinterpret_cast<const float4*>(A),
                                                 reinterpret_cast<const float4*>(x), y, rows, cols / 4);
}
