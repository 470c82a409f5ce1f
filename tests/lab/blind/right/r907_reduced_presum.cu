// Reduced product: A (2m x k), B (k x 2n), C (m x n).
// The pairs of rows of A and of columns of B are added while the tiles are filled.
#include <cuda_runtime.h>

#define W 16

__global__ void reduced(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float ra[W][W], cb[W][W];

    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    float v = 0;

    for (int base = 0; base < k; base += W)
    {
        int ka = base + threadIdx.x;
        int kb = base + threadIdx.y;

        float s = 0;
        if (i < m && ka < k)
            s = A[(2 * i) * k + ka] + A[(2 * i + 1) * k + ka];
        ra[threadIdx.y][threadIdx.x] = s;

        s = 0;
        if (j < n && kb < k) {
            const float* p = B + kb * 2 * n + 2 * j;
            s = p[0] + p[1];
        }
        cb[threadIdx.y][threadIdx.x] = s;

        __syncthreads();
        for (int q = 0; q < W; ++q)
            v += ra[threadIdx.y][q] * cb[q][threadIdx.x];
        __syncthreads();
    }

    if (i < m && j < n) C[i * n + j] = v;
}

void run_reduced(const float* A, const float* B, float* C, int m, int n, int k, cudaStream_t st)
{
    dim3 threads(W, W);
    dim3 blocks((n + W - 1) / W, (m + W - 1) / W);
    reduced<<<blocks, threads, 0, st>>>(A, B, C, m, n, k);
}
