#include <cuda_runtime.h>

// Double-buffered GEMM with 128-bit loads.
// m, n and k all have to be multiples of 16 (matmul() refuses the rest),
// and the pointers come straight from cudaMalloc.

namespace {

constexpr int T = 16;          // tile edge
constexpr int Q = T / 4;       // float4 per tile row

__device__ __forceinline__ float4 ld4(const float* p) {
    return *reinterpret_cast<const float4*>(p);
}

__global__ void kern(const float* A, const float* B, float* C, int n, int k) {
    __shared__ float4 as[2][T][Q];
    __shared__ float4 bs[2][T][Q];

    const int r = threadIdx.x / Q;     // 0..15
    const int q = threadIdx.x % Q;     // 0..3
    const float* pa = A + (blockIdx.y * T + r) * k + 4 * q;
    const float* pb = B + r * n + blockIdx.x * T + 4 * q;

    as[0][r][q] = ld4(pa);
    bs[0][r][q] = ld4(pb);
    __syncthreads();

    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
    const int steps = k / T;
    for (int s = 0; s < steps; ++s) {
        const int now = s & 1;
        if (s + 1 < steps) {
            pa += T;
            pb += T * n;
            as[now ^ 1][r][q] = ld4(pa);
            bs[now ^ 1][r][q] = ld4(pb);
        }
        const float* arow = reinterpret_cast<const float*>(&as[now][r][0]);
        for (int p = 0; p < T; ++p) {
            const float a = arow[p];
            const float4 b = bs[now][p][q];
            sum.x += a * b.x;
            sum.y += a * b.y;
            sum.z += a * b.z;
            sum.w += a * b.w;
        }
        __syncthreads();
    }
    *reinterpret_cast<float4*>(C + (blockIdx.y * T + r) * n + blockIdx.x * T + 4 * q) = sum;
}

}  // namespace

bool matmul(const float* A, const float* B, float* C, int m, int n, int k) {
    if (m <= 0 || n <= 0 || k <= 0) return false;
    if (m % T || n % T || k % T) return false;
    kern<<<dim3(n / T, m / T), T * Q>>>(A, B, C, n, k);
    return cudaGetLastError() == cudaSuccess;
}
