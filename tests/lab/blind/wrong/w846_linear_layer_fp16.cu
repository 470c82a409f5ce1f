#include <cuda_fp16.h>

// Forward pass of a fully connected layer
//   Y[b][o] = sum_i X[b][i] * W[o][i] + bias[o]
// X: batch x in, W: out x in, Y: batch x out (all half, contiguous rows)
// bias: one float per output feature. Sums are kept in float.
constexpr int T = 32;      // tile edge
constexpr int R = 8;       // blockDim = (T, R), each thread does T / R rows

__global__ void linear_forward(const __half* X, const __half* W, const float* bias,
                               __half* Y, int batch, int in, int out)
{
    __shared__ __half xs[T][T + 2];
    __shared__ __half ws[T][T + 2];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int b0 = blockIdx.y * T, o0 = blockIdx.x * T;
    const __half zero = __float2half(0.f);
    float acc[T / R] = {0.f};

    for (int i0 = 0; i0 < in; i0 += T) {
        const bool ok = i0 + tx < in;
        for (int r = ty; r < T; r += R) {
            xs[r][tx] = ok && b0 + r < batch ? X[(size_t)(b0 + r) * in + i0 + tx] : zero;
            ws[r][tx] = ok && o0 + r < out   ? W[(size_t)(o0 + r) * in + i0 + tx] : zero;
        }
        __syncthreads();
        for (int k = 0; k < T; ++k) {
            const float w = __half2float(ws[tx][k]);
            for (int q = 0; q < T / R; ++q)
                acc[q] += __half2float(xs[ty + q * R][k]) * w;
        }
        __syncthreads();
    }

    const int o = o0 + tx;
    for (int q = 0; q < T / R; ++q) {
        const int b = b0 + ty + q * R;
        if (b < batch && o < out)
            Y[(size_t)b * out + o] = __float2half(acc[q] + bias[b]);
    }
}

void linear(const __half* X, const __half* W, const float* bias, __half* Y,
            int batch, int in, int out, cudaStream_t stream)
{
    dim3 grid((out + T - 1) / T, (batch + T - 1) / T);
    linear_forward<<<grid, dim3(T, R), 0, stream>>>(X, W, bias, Y, batch, in, out);
}
