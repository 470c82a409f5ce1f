// Reduced matrix product the long way round: a block forms a 32 x 8 patch of the
// full product (one element per thread), then squares of four are summed.
// Horizontal neighbours sit in one warp, vertical ones meet in shared memory.
// Launch: block (32, 8), grid (ceil(2n/32), ceil(2m/8)).
#include <cuda_runtime.h>

template <typename real>
__global__ void quad(const real* A, const real* B, real* C, int m, int n, int k)
{
    constexpr int BX = 32, BY = 8, D = 8;
    __shared__ real sa[BY][D], sb[D][BX], half_sum[BY][BX / 2];

    const int x = threadIdx.x, y = threadIdx.y;
    const int R = blockIdx.y * BY + y;         // row of the full product
    const int Q = blockIdx.x * BX + x;         // column of the full product
    const int rows = 2 * m, cols = 2 * n;

    real v = 0;
    for (int d = 0; d < k; d += D) {
        if (x < D)
            sa[y][x] = (R < rows && d + x < k) ? A[R * k + d + x] : real(0);
        sb[y][x] = (d + y < k && Q < cols) ? B[(d + y) * cols + Q] : real(0);
        __syncthreads();
        for (int s = 0; s < D; ++s)
            v += sa[y][s] * sb[s][x];
        __syncthreads();
    }

    v += __shfl_down_sync(0xffffffffu, v, 1);
    if (!(x & 1)) half_sum[y][x >> 1] = v;
    __syncthreads();

    const int lin = y * BX + x;
    if (lin < (BY / 2) * (BX / 2)) {
        int u = lin / (BX / 2), w = lin % (BX / 2);
        int i = blockIdx.y * (BY / 2) + u;
        int j = blockIdx.x * (BX / 2) + w;
        if (i < m && j < n)
            C[i * n + j] = half_sum[2 * u][w] + half_sum[2 * u + 1][w];
    }
}

template __global__ void quad<float>(const float*, const float*, float*, int, int, int);
template __global__ void quad<double>(const double*, const double*, double*, int, int, int);
