// Matrix product with float4 accesses, for the lecture "wide loads".
//
//   C (M x N) = A (M x K) * B (K x N), row major, float
//
// What the caller promises:
//   * K and N are multiples of 4, M is arbitrary (all from 1 to 1000000),
//   * the three pointers come straight from cudaMalloc, so every row starts
//     at an address that is a multiple of 16 bytes.
// Nothing is assumed about multiples of the tile size.
#include <cuda_runtime.h>

#define TILE 32          // tile edge
#define VX   (TILE / 4)  // threads along x, each owns four neighbouring columns

__global__ void mm_vec4(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float4 As[TILE][VX];
    __shared__ float4 Bs[TILE][VX];

    const int tx = threadIdx.x;              // 0 .. VX-1
    const int ty = threadIdx.y;              // 0 .. TILE-1
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + 4 * tx;

    const float4 zero = make_float4(0.f, 0.f, 0.f, 0.f);
    float4 sum = zero;

    for (int p0 = 0; p0 < K; p0 += TILE) {
        // K % 4 == 0: a group of four is either inside or outside as a whole
        const int ka = p0 + 4 * tx;
        As[ty][tx] = (row < M && ka < K)
                   ? *reinterpret_cast<const float4 *>(A + (size_t)row * K + ka)
                   : zero;
        // the same holds for the columns of B
        const int kb = p0 + ty;
        Bs[ty][tx] = (kb < K && col < N)
                   ? *reinterpret_cast<const float4 *>(B + (size_t)kb * N + col)
                   : zero;
        __syncthreads();

        for (int q = 0; q < VX; ++q) {
            const float4 a = As[ty][q];
            float4 b;
            b = Bs[4 * q][tx];
            sum.x += a.x * b.x; sum.y += a.x * b.y; sum.z += a.x * b.z; sum.w += a.x * b.w;
            b = Bs[4 * q + 1][tx];
            sum.x += a.y * b.x; sum.y += a.y * b.y; sum.z += a.y * b.z; sum.w += a.y * b.w;
            b = Bs[4 * q + 2][tx];
            sum.x += a.z * b.x; sum.y += a.z * b.y; sum.z += a.z * b.z; sum.w += a.z * b.w;
            b = Bs[4 * q + 3][tx];
            sum.x += a.w * b.x; sum.y += a.w * b.y; sum.z += a.w * b.z; sum.w += a.w * b.w;
        }
        __syncthreads();
    }

    if (row < M && col < N)
        *reinterpret_cast<float4 *>(C + (size_t)row * N + col) = sum;
}

void mm_vec4_launch(const float *dA, const float *dB, float *dC, int M, int K, int N)
{
    dim3 threads(VX, TILE);
    dim3 blocks((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    mm_vec4<<<blocks, threads>>>(dA, dB, dC, M, K, N);
}
