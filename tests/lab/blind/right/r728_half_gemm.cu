// Matrix product of half matrices, accumulated in float and rounded once.
// C (m x n) = A (m x k) * B (k x n), row-major, no restriction on the sizes.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

namespace gemm {

constexpr int kBlock = 16;   // threads per side, and outputs per side
constexpr int kDepth = 32;   // how much of k one step takes

__global__ void half_kernel(const __half* __restrict__ a,
                            const __half* __restrict__ b,
                            __half* __restrict__ c,
                            int m, int k, int n)
{
    __shared__ __half tile_a[kBlock][kDepth + 2];
    __shared__ __half tile_b[kDepth][kBlock];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * kBlock + ty;
    const int col = blockIdx.x * kBlock + tx;
    const __half zero = __float2half(0.0f);

    float acc = 0.0f;
    for (int base = 0; base < k; base += kDepth) {
        // two elements of each tile per thread
        #pragma unroll
        for (int h = 0; h < kDepth; h += kBlock) {
            const int pa = base + h + tx;
            const int pb = base + h + ty;
            tile_a[ty][h + tx] =
                (row < m && pa < k) ? a[static_cast<size_t>(row) * k + pa] : zero;
            tile_b[h + ty][tx] =
                (pb < k && col < n) ? b[static_cast<size_t>(pb) * n + col] : zero;
        }
        __syncthreads();

        #pragma unroll
        for (int p = 0; p < kDepth; ++p) {
            acc = fmaf(__half2float(tile_a[ty][p]), __half2float(tile_b[p][tx]), acc);
        }
        __syncthreads();
    }

    if (row < m && col < n) {
        c[static_cast<size_t>(row) * n + col] = __float2half(acc);
    }
}

static void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) {
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
    }
}

// Device pointers in, device pointer out; returns after the kernel is done.
void multiply(const __half* a, const __half* b, __half* c, int m, int k, int n)
{
    if (m < 0 || k < 0 || n < 0) {
        throw std::invalid_argument("negative size");
    }
    if (m == 0 || n == 0) {
        return;
    }
    const dim3 block(kBlock, kBlock);
    const dim3 grid((n + kBlock - 1) / kBlock, (m + kBlock - 1) / kBlock);
    half_kernel<<<grid, block>>>(a, b, c, m, k, n);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
}

}  // namespace gemm
