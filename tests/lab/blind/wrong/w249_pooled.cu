// Pooled product for the exam: R = sumpool2x2(A * B).
// A is m x k, B is k x n, R is (m/2) x (n/2), all row-major; m and n are even.
// One block computes a TILE x TILE piece of P, parks it in shared memory and
// a quarter of its threads add up the squares.
//
//   pooled<double><<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(...)
#include <cuda_runtime.h>

constexpr int TILE = 16;
constexpr int HALF = TILE / 2;

template <typename Scalar>
__global__ void pooled(const Scalar* A, const Scalar* B, Scalar* R, int m, int n, int k)
{
    __shared__ Scalar sa[TILE][TILE];
    __shared__ Scalar sb[TILE][TILE];
    __shared__ Scalar sp[TILE][TILE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    Scalar p = 0;
    for (int base = 0; base < k; base += TILE) {
        sa[ty][tx] = (row < m && base + tx < k) ? A[(size_t)row * k + (base + tx)] : Scalar(0);
        sb[ty][tx] = (base + ty < k && col < n) ? B[(size_t)(base + ty) * n + col] : Scalar(0);
        __syncthreads();
        for (int q = 0; q < TILE; ++q)
            p += sa[ty][q] * sb[q][tx];
        __syncthreads();
    }

    sp[ty][tx] = p;
    __syncthreads();

    if (tx < HALF && ty < HALF) {
        const int i = blockIdx.y * HALF + ty;
        const int j = blockIdx.x * HALF + tx;
        const Scalar sum = sp[2 * ty][2 * tx]     + sp[2 * ty][2 * tx + 1]
                         + sp[2 * ty + 1][2 * tx] + sp[2 * ty + 1][2 * tx + 1];
        if (i < m / 2 && j < n / 2)
            R[(size_t)j * (m / 2) + i] = sum;
    }
}

template __global__ void pooled<double>(const double*, const double*, double*, int, int, int);
template __global__ void pooled<int>(const int*, const int*, int*, int, int, int);
