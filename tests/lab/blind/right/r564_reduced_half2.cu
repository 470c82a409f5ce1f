// reduced product with half inputs, float accumulation and float output
// block = 32x8 threads, one 8x32 tile of C per block, 32 deep in k
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <stdexcept>

namespace {

constexpr int TM = 8;    // rows of C per block
constexpr int TN = 32;   // columns of C per block
constexpr int TK = 32;

struct Dims {
    int m, k, n;         // A is m x k, B is k x n, C is m/2 x n/2
};

__global__ void reducedKernel(const __half* A, const __half2* B, float* C, Dims d)
{
    __shared__ float sA[TM][TK];
    __shared__ float sB[TK][TN];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int mh = d.m / 2;
    const int nh = d.n / 2;      // also the number of half2 in a row of B
    const int row = blockIdx.y * TM + ty;
    const int col = blockIdx.x * TN + tx;

    float acc = 0.f;
    for (int k0 = 0; k0 < d.k; k0 += TK) {
        // A: one element (= sum of two rows) per thread
        float a = 0.f;
        if (row < mh && k0 + tx < d.k) {
            size_t at = (size_t)(2 * row) * d.k + k0 + tx;
            a = __half2float(A[at]) + __half2float(A[at + d.k]);
        }
        sA[ty][tx] = a;

        // B: four elements per thread, a half2 is just the pair of columns we need
        for (int r = ty; r < TK; r += TM) {
            float b = 0.f;
            if (k0 + r < d.k && col < nh) {
                float2 f = __half22float2(B[(size_t)(k0 + r) * nh + col]);
                b = f.x + f.y;
            }
            sB[r][tx] = b;
        }
        __syncthreads();

        #pragma unroll
        for (int q = 0; q < TK; ++q)
            acc = fmaf(sA[ty][q], sB[q][tx], acc);
        __syncthreads();
    }

    if (row < mh && col < nh)
        C[(size_t)row * nh + col] = acc;
}

} // namespace

// A, B, C are device pointers (from cudaMalloc)
void reducedMatmul(const __half* A, const __half* B, float* C, int m, int k, int n,
                   cudaStream_t stream)
{
    if (m <= 0 || k <= 0 || n <= 0) throw std::invalid_argument("empty matrix");
    if (m % 2 || n % 2) throw std::invalid_argument("m and n must be even");

    Dims d{m, k, n};
    dim3 block(TN, TM);
    dim3 grid((n / 2 + TN - 1) / TN, (m / 2 + TM - 1) / TM);
    reducedKernel<<<grid, block, 0, stream>>>(A, reinterpret_cast<const __half2*>(B), C, d);
    if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("launch failed");
}
