#include <cuda_runtime.h>

// C[M,N] = A[M,K] * B[N,K]^T   (row-major, lda = ldb = K, ldc = N)
// M % 64 == 0, N % 64 == 0, K % 16 == 0, 16-byte aligned.
// <<<dim3(N/64, M/64), 256>>>

#define LD4(p)    (*reinterpret_cast<const float4*>(p))
#define ST4(p, v) (*reinterpret_cast<float4*>(p) = (v))

struct Tile { float v[16][64 + 4]; };

static __device__ __forceinline__ void put(Tile& t, const float* src, int K)
{
    const int r = threadIdx.x >> 2, c = (threadIdx.x & 3) << 2;
    const float4 q = LD4(src + (size_t)r * K + c);
    t.v[c + 0][r] = q.x;
    t.v[c + 1][r] = q.y;
    t.v[c + 2][r] = q.z;
    t.v[c + 3][r] = q.w;
}

__global__ void __launch_bounds__(256, 2)
sgemm_nt_64(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int N, int K)
{
    __shared__ __align__(16) Tile ta, tb;
    const int tr = (threadIdx.x >> 4) << 2;
    const int tc = (threadIdx.x & 15) << 2;

    const float* a = A + (size_t)blockIdx.y * 64 * K;
    const float* b = B + (size_t)blockIdx.x * 64 * K;
    float acc[4][4] = {};

    for (const float* end = a + K; a != end; a += 16, b += 16) {
        put(ta, a, K);
        put(tb, b, K);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float4 x = LD4(&ta.v[k][tr]);
            const float4 y = LD4(&tb.v[k][tc]);
            const float xs[4] = {x.x, x.y, x.z, x.w};
            const float ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    acc[i][j] = fmaf(xs[i], ys[j], acc[i][j]);
        }
        __syncthreads();
    }

    float* c = C + ((size_t)blockIdx.y * 64 + tr) * N + blockIdx.x * 64 + tc;
#pragma unroll
    for (int i = 0; i < 4; ++i, c += N)
        ST4(c, make_float4(acc[0][i], acc[1][i], acc[2][i], acc[3][i]));
}
