// C = A^T * B  with ping-pong shared tiles (one barrier per step).
// A is stored K x M, B is stored K x N, C is M x N; everything row-major.
// Loading A transposed needs no transposition at all: As[k][m] is A[k][m].
#include <cuda_runtime.h>

namespace atb {

constexpr int S = 16;                 // tile side == block side
constexpr int PLANE = S * S;

template <typename Real>
__device__ void fetch(Real* dst, const Real* __restrict__ src, int k0, int c0, int K, int width)
{
    const int k = k0 + threadIdx.y;
    const int c = c0 + threadIdx.x;
    dst[threadIdx.y * S + threadIdx.x] = (k < K && c < width) ? src[(size_t)k * width + c] : Real(0);
}

template <typename Real>
__global__ void kernel(const Real* __restrict__ A, const Real* __restrict__ B, Real* __restrict__ C,
                       int M, int N, int K)
{
    extern __shared__ __align__(16) unsigned char raw[];
    Real* const tiles = reinterpret_cast<Real*>(raw);   // [2][ A plane | B plane ]

    const int m0 = blockIdx.y * S;
    const int n0 = blockIdx.x * S;
    const int steps = (K + S - 1) / S;

    Real acc = 0;
    int now = 0;
    fetch(tiles, A, 0, m0, K, M);
    fetch(tiles + PLANE, B, 0, n0, K, N);
    __syncthreads();

    for (int s = 0; s < steps; ++s) {
        if (s + 1 < steps) {                            // same for all threads
            Real* other = tiles + (now ^ 1) * 2 * PLANE;
            fetch(other, A, (s + 1) * S, m0, K, M);
            fetch(other + PLANE, B, (s + 1) * S, n0, K, N);
        }
        const Real* as = tiles + now * 2 * PLANE;
        const Real* bs = as + PLANE;
#pragma unroll
        for (int k = 0; k < S; ++k)
            acc += as[k * S + threadIdx.y] * bs[k * S + threadIdx.x];
        __syncthreads();                                // 'other' filled, 'now' consumed
        now ^= 1;
    }

    const int m = m0 + threadIdx.y;
    const int n = n0 + threadIdx.x;
    if (m < M && n < N) C[(size_t)m * N + n] = acc;
}

template <typename Real>
cudaError_t run(const Real* A, const Real* B, Real* C, int M, int N, int K, cudaStream_t stream = 0)
{
    if (M <= 0 || N <= 0) return cudaSuccess;
    const dim3 block(S, S);
    const dim3 grid((N + S - 1) / S, (M + S - 1) / S);
    kernel<Real><<<grid, block, 4 * PLANE * sizeof(Real), stream>>>(A, B, C, M, N, K);
    return cudaGetLastError();
}

template cudaError_t run<float>(const float*, const float*, float*, int, int, int, cudaStream_t);
template cudaError_t run<double>(const double*, const double*, double*, int, int, int, cudaStream_t);

}  // namespace atb
