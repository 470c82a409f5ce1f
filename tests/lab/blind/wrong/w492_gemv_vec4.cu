// y = A * x with 16-byte loads.
// A: rows x cols, row major, lda a multiple of 4 and lda >= cols; A and x are
// 16-byte aligned; rows and cols are arbitrary.
// Each row is handled by one block of 128 threads; gridDim.x == rows.
#include <cuda_runtime.h>

#define BLOCK 128

__device__ __forceinline__ float dot4(float4 p, float4 q)
{
    return p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
}

__global__ void __launch_bounds__(BLOCK)
gemv_vec4(const float *A, int lda, const float *x, float *y, int rows, int cols)
{
    __shared__ float buf[BLOCK / 32];

    const int row = blockIdx.x;
    const float *a = A + (size_t)row * lda;
    const float4 *a4 = reinterpret_cast<const float4 *>(a);
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    const int quads = cols / 4;

    float s = 0.0f;
    for (int i = threadIdx.x; i < quads; i += BLOCK)
        s += dot4(a4[i], x4[i]);
    for (int i = 4 * (quads + 1) + threadIdx.x; i < cols; i += BLOCK)
        s += a[i] * x[i];

    for (int d = 16; d >= 1; d >>= 1)
        s += __shfl_xor_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0)
        buf[threadIdx.x / 32] = s;
    __syncthreads();

    if (threadIdx.x == 0)
        y[row] = (buf[0] + buf[1]) + (buf[2] + buf[3]);
}

void gemv(const float *A, int lda, const float *x, float *y, int rows, int cols)
{
    if (rows > 0)
        gemv_vec4<<<rows, BLOCK>>>(A, lda, x, y, rows, cols);
}
