#include <cuda_fp16.h>

// half in, float out.  X is P x Q, Y is Q x R, Z is P x R.
// launch with 256 threads (1D) and grid ( ceil(R/16), ceil(P/16) )
__global__ void mm_half(const __half* X, const __half* Y, float* Z, int P, int Q, int R)
{
    __shared__ __half xs[16 * 16];
    __shared__ __half ys[16 * 16];

    int id = threadIdx.x;
    int i = id >> 4;
    int j = id & 15;
    int row = blockIdx.y * 16 + i;
    int col = blockIdx.x * 16 + j;
    const __half zero = __float2half(0.0f);

    float sum = 0.0f;
    for (int q = 0; q < Q; q += 16) {
        xs[id] = zero;
        ys[id] = zero;
        if (row < P && q + j < Q) xs[id] = X[row * Q + (q + j)];
        if (row < P && col < R) ys[id] = Y[(q + i) * R + col];
        __syncthreads();
        for (int s = 0; s < 16; s++)
            sum += __half2float(xs[i * 16 + s]) * __half2float(ys[s * 16 + j]);
        __syncthreads();
    }
    if (row < P && col < R) Z[row * R + col] = sum;
}
