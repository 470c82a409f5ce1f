#include <cuda_runtime.h>
#include <cstdio>

/* Tile edge is chosen when the program runs: w = blockDim.x = blockDim.y (at most 32).
   Dynamic shared memory holds tile A, then tile B, both w*w. */
template <typename Real>
__global__ void matmul_dyn(const Real* __restrict__ A, const Real* __restrict__ B,
                           Real* __restrict__ C, int M, int N, int K)
{
    extern __shared__ unsigned char raw[];
    const int w = blockDim.x;
    Real* ta = reinterpret_cast<Real*>(raw);
    Real* tb = ta + w * w;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r = blockIdx.y * w + ty;
    const int c = blockIdx.x * w + tx;
    Real sum = Real(0);

    int left = K;
    const Real* pa = A + (size_t)r * K + tx;     // only followed when inside
    const Real* pb = B + (size_t)ty * N + c;
    while (left > 0) {
        ta[ty * w + tx] = (r < M && tx < left) ? *pa : Real(0);
        tb[ty * w + tx] = (c < N && ty < left) ? *pb : Real(0);
        __syncthreads();

        const int lim = left < w ? left : w;
        for (int i = 0; i < lim; ++i)
            sum += ta[ty * w + i] * tb[i * w + tx];
        __syncthreads();

        pa += w;
        pb += (size_t)w * N;
        left -= w;
    }
    if (r < M && c < N) C[(size_t)r * N + c] = sum;
}

template <typename Real>
bool multiply(const Real* dA, const Real* dB, Real* dC, int M, int N, int K, int w)
{
    if (w < 1 || w > 32 || M < 1 || N < 1) return false;
    dim3 block(w, w);
    dim3 grid((N + w - 1) / w, (M + w - 1) / w);
    size_t bytes = 2 * (size_t)w * w * sizeof(Real);
    matmul_dyn<Real><<<grid, block, bytes>>>(dA, dB, dC, M, N, K);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) { printf("launch: %s\n", cudaGetErrorString(e)); return false; }
    return true;
}

template bool multiply<float>(const float*, const float*, float*, int, int, int, int);
template bool multiply<double>(const double*, const double*, double*, int, int, int, int);
