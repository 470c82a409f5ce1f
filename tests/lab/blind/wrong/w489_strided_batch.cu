// Strided batched sgemm: C_b = A_b * B_b for b = 0 .. batch-1, row major.
// Meant for large batches: up to 16384 matrices of at most 512 x 512 each
// (several GB per operand on the big cards), m, n, k otherwise free.
#include <cuda_runtime.h>

#define T 32

__global__ void sgemm_strided_batched(const float *__restrict__ a, long long strideA,
                                      const float *__restrict__ b, long long strideB,
                                      float *__restrict__ c,
                                      int m, int n, int k)
{
    __shared__ float sa[T][T];
    __shared__ float sb[T][T];

    const int batch = blockIdx.z;
    const float *A = a + batch * strideA;
    const float *B = b + batch * strideB;
    float *C = c + batch * m * n;      // results are packed

    const int row = blockIdx.y * T + threadIdx.y;
    const int col = blockIdx.x * T + threadIdx.x;

    float r = 0.f;
    for (int p = 0; p < k; p += T) {
        const int ka = p + threadIdx.x;
        const int kb = p + threadIdx.y;
        sa[threadIdx.y][threadIdx.x] = (row < m && ka < k) ? A[row * k + ka] : 0.f;
        sb[threadIdx.y][threadIdx.x] = (kb < k && col < n) ? B[kb * n + col] : 0.f;
        __syncthreads();
#pragma unroll 8
        for (int q = 0; q < T; ++q)
            r += sa[threadIdx.y][q] * sb[q][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = r;
}

// packed operands: matrix b starts at b * m * k, b * k * n and b * m * n
int batched_matmul(const float *a, const float *b, float *c,
                   int m, int n, int k, int batch)
{
    if (batch > 16384 || m > 512 || n > 512 || k > 512) return -1;
    dim3 grid((n + T - 1) / T, (m + T - 1) / T, batch);
    sgemm_strided_batched<<<grid, dim3(T, T)>>>(a, (long long)m * k, b, (long long)k * n,
                                               c, m, n, k);
    return cudaGetLastError() == cudaSuccess ? 0 : -2;
}
