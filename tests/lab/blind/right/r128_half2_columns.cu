// Half precision storage, single precision accumulation.
// Every thread owns two neighbouring columns (one __half2), so N has to be even.
#include <cuda_fp16.h>

namespace {

constexpr int kTileRows  = 8;
constexpr int kTilePairs = 32;

__global__ void hgemm_pairs(const __half* __restrict__ a,
                            const __half2* __restrict__ b,
                            __half2* __restrict__ c,
                            int m, int pairs, int k)
{
    __shared__ float stripe[kTileRows][kTilePairs];

    const int pair = blockIdx.x * kTilePairs + threadIdx.x;
    const int row  = blockIdx.y * kTileRows + threadIdx.y;

    float2 acc = make_float2(0.0f, 0.0f);
    for (int k0 = 0; k0 < k; k0 += kTilePairs) {
        const int ka = k0 + threadIdx.x;
        stripe[threadIdx.y][threadIdx.x] =
            (row < m && ka < k) ? __half2float(a[row * k + ka]) : 0.0f;
        __syncthreads();

        if (pair < pairs) {
            const int count = min(kTilePairs, k - k0);
            for (int i = 0; i < count; ++i) {
                const float2 bv = __half22float2(b[(k0 + i) * pairs + pair]);
                acc.x += stripe[threadIdx.y][i] * bv.x;
                acc.y += stripe[threadIdx.y][i] * bv.y;
            }
        }
        __syncthreads();
    }

    if (row < m && pair < pairs)
        c[row * pairs + pair] = __floats2half2_rn(acc.x, acc.y);
}

}  // namespace

// c (m x n) = a (m x k) * b (k x n), row major, n even
void hgemm(const __half* a, const __half* b, __half* c, int m, int n, int k,
           cudaStream_t stream)
{
    const int pairs = n / 2;
    const dim3 block(kTilePairs, kTileRows);
    const dim3 grid((pairs + kTilePairs - 1) / kTilePairs,
                    (m + kTileRows - 1) / kTileRows);
    hgemm_pairs<<<grid, block, 0, stream>>>(
        a, reinterpret_cast<const __half2*>(b), reinterpret_cast<__half2*>(c),
        m, pairs, k);
}
