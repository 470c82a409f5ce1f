#include <cuda_runtime.h>

struct Dims { int m, n, k; };   // A: 2m x k, B: k x 2n, C: m x n; k % 4 == 0, rows packed

static __device__ __forceinline__ float both(float2 v) { return v.x + v.y; }

// one thread per column j of C, rows i by grid stride in y
__global__ void window_gemm(const float4* __restrict__ A4, const float2* __restrict__ B2,
                            float* __restrict__ C, Dims d)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= d.n) return;
    const int k4 = d.k / 4;

    for (int i = blockIdx.y; i < d.m; i += gridDim.y) {
        const float4* p = A4 + (size_t)(2 * i) * k4;
        const float4* q = p + d.k;
        const float2* b = B2 + j;
        float acc = 0.f;
        for (int t = 0; t < k4; ++t) {
            const float4 u = p[t], v = q[t];
            acc = fmaf(u.x + v.x, both(b[0]), acc);
            acc = fmaf(u.y + v.y, both(b[d.n]), acc);
            acc = fmaf(u.z + v.z, both(b[2 * (size_t)d.n]), acc);
            acc = fmaf(u.w + v.w, both(b[3 * (size_t)d.n]), acc);
            b += 4 * (size_t)d.n;
        }
        C[(size_t)i * d.n + j] = acc;
    }
}

void window_gemm_launch(const float* A, const float* B, float* C, Dims d, cudaStream_t st)
{
    dim3 grid((d.n + 127) / 128, d.m < 1024 ? d.m : 1024);
    window_gemm<<<grid, 128, 0, st>>>(reinterpret_cast<const float4*>(A),
                                      reinterpret_cast<const float2*>(B), C, d);
}
