#include <cstdint>
#include <cuda_fp16.h>

// D[M][N] (f32) = A[M][K] (f16, row-major) * B (f16, column-major: column n at Bt + n*K).
// M % 16 == 0, N % 8 == 0, K % 16 == 0, pointers at least 8-byte aligned, sm_80 or newer.
// One warp owns a 16 x 8 tile; block = (32, 4), grid = (ceil(N / 32), M / 16).

__device__ __forceinline__ void mma_16816(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ uint32_t two(const __half* p)
{
    return *reinterpret_cast<const uint32_t*>(p);
}

__global__ void __launch_bounds__(128)
hgemm_mma(const __half* __restrict__ A, const __half* __restrict__ Bt, float* __restrict__ D, int N, int K)
{
    const int n0 = (blockIdx.x * 4 + threadIdx.y) * 8;
    if (n0 >= N) return;                               // whole warp
    const int m0 = blockIdx.y * 16;
    const int gid = threadIdx.x >> 2, tig = threadIdx.x & 3;

    const __half* a_lo = A + (size_t)(m0 + gid) * K + 2 * tig;
    const __half* a_hi = a_lo + (size_t)8 * K;
    const __half* b_p = Bt + (size_t)(n0 + gid) * K + 2 * tig;

    float d[4] = {0.f, 0.f, 0.f, 0.f};
    for (int k = 0; k < K; k += 16) {
        const uint32_t a[4] = {two(a_lo + k), two(a_hi + k), two(a_lo + k + 8), two(a_hi + k + 8)};
        const uint32_t b[2] = {two(b_p + k), two(b_p + k + 8)};
        mma_16816(d, a, b);
    }

    float* out = D + (size_t)(m0 + gid) * N + n0 + 2 * tig;
    *reinterpret_cast<float2*>(out) = make_float2(d[0], d[1]);
    *reinterpret_cast<float2*>(out + (size_t)8 * N) = make_float2(d[2], d[3]);
}

void hgemm(const __half* A, const __half* Bt, float* D, int M, int N, int K, cudaStream_t st)
{
    hgemm_mma<<<dim3((N + 31) / 32, M / 16), dim3(32, 4), 0, st>>>(A, Bt, D, N, K);
}
