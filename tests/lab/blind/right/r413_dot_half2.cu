// Mixed-precision dot product: half inputs, float accumulation.
// x and y must be 4-byte aligned (any cudaMalloc pointer is); n may be odd.
// *out must be 0 before the launch; blockDim.x has to be a multiple of 32.
//
//   cudaMemsetAsync(out, 0, sizeof(float), st);
//   dot_h2<<<min(1024, (n / 2 + 255) / 256 + 1), 256, 0, st>>>(x, y, n, out);
#include <cuda_fp16.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void dot_h2(const __half* __restrict__ x, const __half* __restrict__ y,
                       int n, float* out)
{
    const auto block = cg::this_thread_block();
    const auto warp  = cg::tiled_partition<32>(block);

    const __half2* x2 = reinterpret_cast<const __half2*>(x);
    const __half2* y2 = reinterpret_cast<const __half2*>(y);
    const int pairs = n / 2;

    const unsigned first  = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned stride = gridDim.x * blockDim.x;

    float acc = 0.f;
    for (unsigned i = first; i < (unsigned)pairs; i += stride) {
        const float2 a = __half22float2(x2[i]);
        const float2 b = __half22float2(y2[i]);
        acc = fmaf(a.x, b.x, acc);
        acc = fmaf(a.y, b.y, acc);
    }
    // odd length: one thread of the grid picks up the element without a partner
    if ((n & 1) && first == 0)
        acc = fmaf(__half2float(x[n - 1]), __half2float(y[n - 1]), acc);

    for (int d = warp.size() / 2; d > 0; d >>= 1)
        acc += warp.shfl_down(acc, d);

    if (warp.thread_rank() == 0)
        atomicAdd(out, acc);
}
