#include <cuda_fp16.h>
#include <cuda_runtime.h>

// Mixed precision product: A (m x k) and B (k x n) are half, C (m x n) is float.
// For tall-skinny problems k is cut into gridDim.z slices so that more blocks are busy.
//
//   n has to be even (B is read as half2), m and k arbitrary
//   C has to be zeroed by the caller (cudaMemset) before the launch
//   block (16, 16), grid (ceil(n/64), ceil(m/32), slices)

constexpr int TM = 32;   // rows of C per block, 2 per thread
constexpr int TN = 64;   // columns of C per block, 4 per thread
constexpr int TK = 16;

__global__ void __launch_bounds__(256)
hgemmSlices(const half* __restrict__ A, const half* __restrict__ B, float* __restrict__ C,
            int m, int n, int k)
{
    __shared__ float sa[TM][TK + 1];
    __shared__ float2 sb[TK][TN / 2];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 16 + tx;
    const int row0 = blockIdx.y * TM;
    const int col0 = blockIdx.x * TN;

    // this block's part of k
    const int slice = (k + gridDim.z - 1) / gridDim.z;
    const int kFirst = blockIdx.z * slice;
    const int kLast = min(k, kFirst + slice);

    float2 acc[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            acc[i][j] = make_float2(0.f, 0.f);

    for (int k0 = kFirst; k0 < kLast; k0 += TK) {
        for (int e = tid; e < TM * TK; e += 256) {
            const int r = e / TK, q = e % TK;
            sa[r][q] = (row0 + r < m && k0 + q < kLast)
                           ? __half2float(A[(size_t)(row0 + r) * k + k0 + q]) : 0.f;
        }
        for (int e = tid; e < TK * TN / 2; e += 256) {
            const int q = e / (TN / 2), p = e % (TN / 2);
            float2 v = make_float2(0.f, 0.f);
            if (k0 + q < kLast && col0 + 2 * p < n)
                v = __half22float2(*reinterpret_cast<const half2*>(
                        B + (size_t)(k0 + q) * n + col0 + 2 * p));
            sb[q][p] = v;
        }
        __syncthreads();

#pragma unroll
        for (int q = 0; q < TK; ++q)
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) {
                    const float a = sa[ty + 16 * i][q];
                    const float2 b = sb[q][tx + 16 * j];
                    acc[i][j].x += a * b.x;
                    acc[i][j].y += a * b.y;
                }
        __syncthreads();
    }

    for (int i = 0; i < 2; ++i) {
        const int r = row0 + ty + 16 * i;
        for (int j = 0; j < 2; ++j) {
            const int c = col0 + 2 * (tx + 16 * j);
            if (r < m && c < n) {           // n even: c + 1 is inside as well
                float2* dst = reinterpret_cast<float2*>(C + (size_t)r * n + c);
                float2 old = *dst;
                *dst = make_float2(old.x + acc[i][j].x, old.y + acc[i][j].y);
            }
        }
    }
}
