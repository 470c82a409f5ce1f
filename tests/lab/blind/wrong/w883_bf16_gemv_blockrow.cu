#include <cuda_bf16.h>

// decode-time GEMV: y[M] = W[M][K] * x[K], W in bf16, x and y in float.
// A fixed number of blocks walks over the rows, the whole block works on one row.
// blockDim.x is a multiple of 32, at most 1024.
__global__ void gemv_bf16(const __nv_bfloat16* __restrict__ W, const float* __restrict__ x,
                          float* __restrict__ y, int M, int K)
{
    __shared__ float part[32];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int nwarps = blockDim.x >> 5;

    for (int row = blockIdx.x; row < M; row += gridDim.x) {
        const __nv_bfloat16* w = W + (size_t)row * K;
        float s = 0.f;
        for (int k = threadIdx.x; k < K; k += blockDim.x)
            s = fmaf(__bfloat162float(w[k]), x[k], s);

        for (int d = 16; d > 0; d >>= 1)
            s += __shfl_down_sync(0xffffffffu, s, d);
        if (lane == 0) part[warp] = s;
        __syncthreads();

        if (threadIdx.x == 0) {
            float total = 0.f;
            for (int i = 0; i < nwarps; ++i) total += part[i];
            y[row] = total;
        }
    }
}

void gemv(const __nv_bfloat16* W, const float* x, float* y, int M, int K, int sms, cudaStream_t s)
{
    gemv_bf16<<<4 * sms, 256, 0, s>>>(W, x, y, M, K);
}
