// Reduced product: A is 2m x k, B is k x 2n, C is m x n,
//   C(i,j) = sum over the 2x2 square at (2i,2j) of A*B.
// The pairs of rows of A and of columns of B are added while they are loaded.
#include <cuda_runtime.h>

template <typename real, int S>
__global__ void reduced_gemm(const real *A, const real *B, real *C, int m, int k, int n)
{
    __shared__ real fa[S][S];
    __shared__ real fb[S][S];

    const int lj = threadIdx.x;
    const int li = threadIdx.y;
    const int i = blockIdx.y * S + li;
    const int j = blockIdx.x * S + lj;
    const int ldb = 2 * n;

    real sum = real(0);
    for (int t = 0; t < (k + S - 1) / S; ++t) {
        const int ca = t * S + lj;
        const int rb = t * S + li;

        real u = real(0), v = real(0);
        if (i < m && ca < k) {
            const real *top = A + (size_t)(2 * i) * k + ca;
            u = top[0] + top[k];
        }
        if (j < n && rb < k) {
            const real *left = B + (size_t)rb * ldb + 2 * j;
            v = left[0] + left[1];
        }
        fa[li][lj] = u;
        fb[li][lj] = v;
        __syncthreads();

        for (int q = 0; q < S; ++q)
            sum += fa[li][q] * fb[q][lj];
        __syncthreads();
    }

    if (i < m && j < n)
        C[(size_t)i * n + j] = sum;
}

void reduced_float(const float *A, const float *B, float *C, int m, int k, int n)
{
    const int S = 16;
    dim3 grid((n + S - 1) / S, (m + S - 1) / S);
    reduced_gemm<float, S><<<grid, dim3(S, S)>>>(A, B, C, m, k, n);
}
