// ضرب کاهش‌یافته: A با ابعاد 2m×k سطری، B با ابعاد k×2n ستونی، C با ابعاد m×n سطری
// هر وارپ یک درایه از C را می‌سازد؛ وارپ‌ها با گام کل شبکه جلو می‌روند.
// شرط‌ها: k مضرب 4 است، A و B روی 16 بایت تراز هستند، blockDim.x مضرب 32 است.
#include <cuda_runtime.h>

struct Mat { const float *p; int ld; 
    __device__ const float4 *vec(long long line) const
    { return reinterpret_cast<const float4 *>(p + line * ld); } };

__device__ __forceinline__ float4 jam(float4 u, float4 v)
{
    return make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
}

__global__ void reduced_warp(Mat A, Mat B, float *C, int m, int n, int k)
{
    const int lane = threadIdx.x & 31;
    const long long warps = (long long)gridDim.x * (blockDim.x >> 5);
    const long long total = (long long)m * n;

    for (long long o = (long long)blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5); o < total; o += warps) {
        const long long i = o / n, j = o % n;
        const float4 *a0 = A.vec(2 * i), *a1 = A.vec(2 * i + 1);
        const float4 *b0 = B.vec(2 * j), *b1 = B.vec(2 * j + 1);

        float s = 0.f;
        for (int q = lane; q < k / 4; q += 32) {
            const float4 a = jam(a0[q], a1[q]);
            const float4 b = jam(b0[q], b1[q]);
            s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
        // همه‌ی 32 نخ وارپ با هم به اینجا می‌رسند
        for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
        if (lane == 0) C[o] = s;
    }
}

// B: ستون c از B + c*k شروع می‌شود
void reduced(const float *A, const float *B, float *C, int m, int n, int k)
{
    reduced_warp<<<216, 128>>>(Mat{A, k}, Mat{B, k}, C, m, n, k);
}
