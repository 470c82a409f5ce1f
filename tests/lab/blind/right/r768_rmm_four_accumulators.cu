// Reduced matrix multiplication, tiled, four products per step.
//
// A: m x k, B: k x n, R: (m/2) x (n/2), all row-major; m and n even.
// A block of 16x16 threads owns a 16x16 tile of R, that is a 32x32 square of A*B.
// launch: grid((n/2 + 15) / 16, (m/2 + 15) / 16), block(16, 16)
#include <cuda_runtime.h>

template <typename T>
__global__ void rmmTiled(const T* A, const T* B, T* R, int m, int k, int n)
{
    constexpr int W = 16;          // tile of R, and depth of one step
    __shared__ T rowsA[2 * W][W];
    __shared__ T colsB[W][2 * W];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int aRow0 = blockIdx.y * 2 * W;
    const int bCol0 = blockIdx.x * 2 * W;

    T p00 = 0, p01 = 0, p10 = 0, p11 = 0;

    for (int k0 = 0; k0 < k; k0 += W) {
        // two rows of A per thread
        for (int h = 0; h < 2; ++h) {
            const int r = ty + h * W;
            const int gr = aRow0 + r;
            const int gc = k0 + tx;
            rowsA[r][tx] = (gr < m && gc < k) ? A[gr * k + gc] : T(0);
        }
        // two columns of B per thread
        for (int h = 0; h < 2; ++h) {
            const int c = tx + h * W;
            const int gr = k0 + ty;
            const int gc = bCol0 + c;
            colsB[ty][c] = (gr < k && gc < n) ? B[gr * n + gc] : T(0);
        }
        __syncthreads();

        for (int p = 0; p < W; ++p) {
            const T a0 = rowsA[2 * ty][p];
            const T a1 = rowsA[2 * ty + 1][p];
            const T b0 = colsB[p][2 * tx];
            const T b1 = colsB[p][2 * tx + 1];
            p00 += a0 * b0;
            p01 += a0 * b1;
            p10 += a1 * b0;
            p11 += a1 * b1;
        }
        __syncthreads();
    }

    const int i = blockIdx.y * W + ty;
    const int j = blockIdx.x * W + tx;
    if (i < m / 2 && j < n / 2)
        R[i * (n / 2) + j] = p00 + p01 + p10 + p11;
}

template __global__ void rmmTiled<float>(const float*, const float*, float*, int, int, int);
template __global__ void rmmTiled<int>(const int*, const int*, int*, int, int, int);
