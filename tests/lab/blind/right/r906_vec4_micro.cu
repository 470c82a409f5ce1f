#include <cuda_runtime.h>

// 64 x 64 tile per block, 256 threads, 4 x 4 outputs per thread, float4 traffic.
// M and N must be multiples of 64 and K a multiple of 16; the launcher refuses the rest.
// Pointers straight from cudaMalloc.
static const int TILE = 64, KS = 16;

__global__ void __launch_bounds__(256)
mm44(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int N, int K)
{
    __shared__ float At[KS][TILE];           // transposed on the way in
    __shared__ float4 Bv[KS][TILE / 4];

    const int t  = threadIdx.x;
    const int tc = t & 15;
    const int tr = t >> 4;

    const int ar = t >> 2;                   // 0..63
    const int ak = (t & 3) * 4;              // 0, 4, 8, 12

    A += (size_t)blockIdx.y * TILE * K;
    B += blockIdx.x * TILE;
    C += (size_t)blockIdx.y * TILE * N + blockIdx.x * TILE;

    float out[4][4] = {};

    for (int k = 0; k < K; k += KS) {
        float4 va = *reinterpret_cast<const float4*>(A + (size_t)ar * K + k + ak);
        float4 vb = *reinterpret_cast<const float4*>(B + (size_t)(k + tr) * N + tc * 4);
        __syncthreads();
        At[ak + 0][ar] = va.x;
        At[ak + 1][ar] = va.y;
        At[ak + 2][ar] = va.z;
        At[ak + 3][ar] = va.w;
        Bv[tr][tc] = vb;
        __syncthreads();

        for (int q = 0; q < KS; ++q) {
            float4 b = Bv[q][tc];
            for (int i = 0; i < 4; ++i) {
                float a = At[q][tr * 4 + i];
                out[i][0] += a * b.x;
                out[i][1] += a * b.y;
                out[i][2] += a * b.z;
                out[i][3] += a * b.w;
            }
        }
    }

    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(C + (size_t)(tr * 4 + i) * N + tc * 4) =
            make_float4(out[i][0], out[i][1], out[i][2], out[i][3]);
}

int mm(const float* A, const float* B, float* C, int M, int N, int K)
{
    if (M % TILE || N % TILE || K % KS || M <= 0 || N <= 0) return -1;
    mm44<<<dim3(N / TILE, M / TILE), 256>>>(A, B, C, N, K);
    return (int)cudaGetLastError();
}
