#include <cuda_runtime.h>
#define T 16

// pooled product: A is 2m x k, B is k x 2n (row-major), C is m x n,
// C[i][j] = sum over the 2x2 window of A*B that starts at (2i, 2j).
// The window sum is folded into the operands while they are staged.
__global__ void pooled_product(const float* __restrict__ A, const float* __restrict__ B,
                               float* __restrict__ C, int m, int n, int k)
{
    __shared__ float a[T][T];
    __shared__ float b[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * T + ty;
    const int col = blockIdx.x * T + tx;

    const int ra = 2 * blockIdx.y * T + ty;
    const int cb = 2 * col;
    const size_t ldb = 2 * (size_t)n;

    float acc = 0.f;
    for (int t = 0; t < (k + T - 1) / T; ++t) {
        const int ka = t * T + tx;
        const int kb = t * T + ty;
        a[ty][tx] = 0.f;
        b[ty][tx] = 0.f;
        if (row < m && ka < k)
            a[ty][tx] = A[(size_t)ra * k + ka] + A[(size_t)(ra + 1) * k + ka];
        if (col < n && kb < k)
            b[ty][tx] = B[kb * ldb + cb] + B[kb * ldb + cb + 1];
        __syncthreads();
#pragma unroll
        for (int q = 0; q < T; ++q)
            acc += a[ty][q] * b[q][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[(size_t)row * n + col] = acc;
}

extern "C" void run_pooled_product(const float* A, const float* B, float* C, int m, int n, int k)
{
    dim3 grid((n + T - 1) / T, (m + T - 1) / T);
    pooled_product<<<grid, dim3(T, T)>>>(A, B, C, m, n, k);
}
