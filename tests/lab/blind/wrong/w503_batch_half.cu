// Batched half-precision product, matrices packed one after another:
//   C[b] = A[b] * B[b],  A[b]: n x n, B[b]: n x n, row-major, float accumulation.
// n up to 1024, batch up to 4096.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <int T>
__global__ void batch_mm(const __half *__restrict__ A, const __half *__restrict__ B,
                         __half *__restrict__ C, int n)
{
    __shared__ float a[T][T];
    __shared__ float b[T][T + 1];

    const int batch = blockIdx.z;
    const int offset = batch * n * n;
    A += offset;
    B += offset;
    C += offset;

    const int i = blockIdx.y * T + threadIdx.y;
    const int j = blockIdx.x * T + threadIdx.x;

    float acc = 0.f;
    for (int k0 = 0; k0 < n; k0 += T) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = (i < n && ka < n) ? __half2float(A[i * n + ka]) : 0.f;
        b[threadIdx.y][threadIdx.x] = (kb < n && j < n) ? __half2float(B[kb * n + j]) : 0.f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < T; ++k)
            acc += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }

    if (i < n && j < n)
        C[i * n + j] = __float2half_rn(acc);
}

// Device pointers, each to batch * n * n halves.
cudaError_t batched_matmul(const __half *A, const __half *B, __half *C,
                           int n, int batch, cudaStream_t stream)
{
    constexpr int T = 32;
    if (n < 1 || n > 1024 || batch < 1 || batch > 4096)
        return cudaErrorInvalidValue;
    dim3 grid((n + T - 1) / T, (n + T - 1) / T, batch);
    batch_mm<T><<<grid, dim3(T, T), 0, stream>>>(A, B, C, n);
    return cudaGetLastError();
}
