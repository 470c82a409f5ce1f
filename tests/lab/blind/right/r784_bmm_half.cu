/* Batched matmul, half inputs, float result.
 *   C[b] = A[b] * B[b],  b = 0 .. batch-1
 *   A[b]: M x K, B[b]: K x N, C[b]: M x N, row-major, packed one after another.
 *   M, N, K <= 20000, batch <= 1000000.
 *
 * Launch:
 *   dim3 grid((N+15)/16, (M+15)/16, batch < 65535 ? batch : 65535);
 *   bmm<<<grid, dim3(16,16)>>>(A, B, C, M, N, K, batch);
 */
#include <cuda_fp16.h>

const int TS = 16;

__device__ __forceinline__ float fetch(const __half *p, int r, int c, int rows, int cols)
{
    if (r >= rows || c >= cols) return 0.f;
    return __half2float(p[(size_t)r * cols + c]);
}

__global__ void bmm(const __half *A, const __half *B, float *C,
                    int M, int N, int K, int batch)
{
    // converted once when loading, so the inner loop is pure fp32
    __shared__ float a[TS][TS];
    __shared__ float b[TS][TS];

    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TS + y;
    const int col = blockIdx.x * TS + x;

    for (int z = blockIdx.z; z < batch; z += gridDim.z)
    {
        const __half *Az = A + (size_t)z * M * K;
        const __half *Bz = B + (size_t)z * K * N;

        float sum = 0.f;
        for (int k0 = 0; k0 < K; k0 += TS)
        {
            a[y][x] = fetch(Az, row, k0 + x, M, K);
            b[y][x] = fetch(Bz, k0 + y, col, K, N);
            __syncthreads();
            #pragma unroll
            for (int i = 0; i < TS; ++i)
                sum = fmaf(a[y][i], b[i][x], sum);
            __syncthreads();
        }

        if (row < M && col < N)
            C[(size_t)z * M * N + (size_t)row * N + col] = sum;
    }
}
