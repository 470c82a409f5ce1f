#include <cuda_runtime.h>

// C(i,j) = sum of the 2x2 square at (2i,2j) of A*B; A 2m x k, B k x 2n, all int.
template <int Q>
__global__ void reduced_int(const int *A, const int *B, int *C, int m, int k, int n)
{
    __shared__ int rowPairs[Q][Q];
    __shared__ int colPairs[Q][Q];

    const int i = blockIdx.y * Q + threadIdx.y;
    const int j = blockIdx.x * Q + threadIdx.x;
    if (i >= m || j >= n) return;

    const int tiles = (k + Q - 1) / Q;
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
        const int ka = t * Q + threadIdx.x;
        const int kb = t * Q + threadIdx.y;

        rowPairs[threadIdx.y][threadIdx.x] =
            ka < k ? A[2 * i * k + ka] + A[(2 * i + 1) * k + ka] : 0;
        colPairs[threadIdx.y][threadIdx.x] =
            kb < k ? B[kb * 2 * n + 2 * j] + B[kb * 2 * n + 2 * j + 1] : 0;
        __syncthreads();

        for (int q = 0; q < Q; ++q)
            sum += rowPairs[threadIdx.y][q] * colPairs[q][threadIdx.x];
        __syncthreads();
    }
    C[i * n + j] = sum;
}

void launch_reduced_int(const int *A, const int *B, int *C, int m, int k, int n)
{
    constexpr int Q = 16;
    dim3 block(Q, Q);
    dim3 grid((n + Q - 1) / Q, (m + Q - 1) / Q);
    reduced_int<Q><<<grid, block>>>(A, B, C, m, k, n);
}
