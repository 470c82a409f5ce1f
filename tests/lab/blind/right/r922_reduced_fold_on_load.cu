// Reduced product: A is 2m x k, B is k x 2n, C is m x n and
//   C(i,j) = (A[2i] + A[2i+1]) . (B[:,2j] + B[:,2j+1]).
// The two additions are made once, when the tiles are brought in.
#include <cuda_runtime.h>

constexpr int W = 16;

__global__ void reduced(const float* A, const float* B, float* C, int m, int k, int n)
{
    __shared__ float rows[W][W];
    __shared__ float cols[W][W];

    const int i = blockIdx.y * W + threadIdx.y;
    const int j = blockIdx.x * W + threadIdx.x;

    float sum = 0.0f;
    for (int base = 0; base < k; base += W) {
        const int ka = base + threadIdx.x;
        float r = 0.0f;
        if (i < m && ka < k)
            r = A[(2 * i) * k + ka] + A[(2 * i + 1) * k + ka];
        rows[threadIdx.y][threadIdx.x] = r;

        const int kb = base + threadIdx.y;
        float c = 0.0f;
        if (j < n && kb < k) {
            const float* p = B + kb * (2 * n) + 2 * j;
            c = p[0] + p[1];
        }
        cols[threadIdx.y][threadIdx.x] = c;
        __syncthreads();

        for (int q = 0; q < W; ++q)
            sum += rows[threadIdx.y][q] * cols[q][threadIdx.x];
        __syncthreads();
    }

    if (i < m && j < n)
        C[i * n + j] = sum;
}

cudaError_t launch_reduced(const float* A, const float* B, float* C, int m, int k, int n)
{
    if (m <= 0 || n <= 0) return cudaSuccess;
    dim3 grid((n + W - 1) / W, (m + W - 1) / W);
    reduced<<<grid, dim3(W, W)>>>(A, B, C, m, k, n);
    return cudaGetLastError();
}
