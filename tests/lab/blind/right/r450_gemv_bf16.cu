// y := alpha * A * x + beta * y
// A is rows x cols, row-major, bfloat16, consecutive rows lie lda >= cols apart.
// x and y are float.  One block per row; rows >= 1, cols >= 1.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

template <unsigned BLOCK>
__global__ void gemv_bf16(const __nv_bfloat16 *A, int lda, const float *x, float *y,
                          int cols, float alpha, float beta)
{
    static_assert((BLOCK & (BLOCK - 1)) == 0 && BLOCK >= 64, "power of two, at least 64");
    __shared__ float red[BLOCK];

    const unsigned t = threadIdx.x;
    const __nv_bfloat16 *row = A + (size_t)blockIdx.x * lda;

    float s = 0.0f;
    for (int c = t; c < cols; c += BLOCK)
        s += __bfloat162float(row[c]) * x[c];
    red[t] = s;

    for (unsigned half = BLOCK / 2; half >= 32; half /= 2) {
        __syncthreads();
        if (t < half)
            red[t] += red[t + half];
    }

    // only warp 0 is left, and it wrote red[0..31] itself in the last round
    if (t < 32) {
        s = red[t];
        for (int d = 16; d > 0; d /= 2)
            s += __shfl_down_sync(0xffffffff, s, d);
        if (t == 0) {
            float old = beta != 0.0f ? beta * y[blockIdx.x] : 0.0f;
            y[blockIdx.x] = alpha * s + old;
        }
    }
}

void gemv(const __nv_bfloat16 *A, int lda, const float *x, float *y,
          int rows, int cols, float alpha, float beta)
{
    if (cols <= 512)
        gemv_bf16<64><<<rows, 64>>>(A, lda, x, y, cols, alpha, beta);
    else
        gemv_bf16<256><<<rows, 256>>>(A, lda, x, y, cols, alpha, beta);
}
