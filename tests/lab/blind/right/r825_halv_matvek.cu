// Matrise (half) ganger vektor (float): y = A * x
//   A: m x n radvis, n er et partall, m og n <= 1000000, A fra cudaMalloc
// Fire warps per blokk, to rader per warp. x deles gjennom dynamisk delt minne,
// 'bit' elementer om gangen (et partall, f.eks. 2048, hoyst 12000):
//
//   halvMatvek<<<(m + 7) / 8, 128, bit * sizeof(float)>>>(A, x, y, m, n, bit);
#include <cuda_fp16.h>

extern __shared__ float xs[];

// bidraget fra et stykke av en rad
__device__ float stykke(const __half *rad, int lengde, int lane)
{
    const __half2 *r2 = (const __half2 *)rad;
    float s = 0.0f;
    for (int j = lane; j < lengde / 2; j += 32) {
        float2 f = __half22float2(r2[j]);
        s += f.x * xs[2 * j] + f.y * xs[2 * j + 1];
    }
    return s;
}

__global__ void halvMatvek(const __half *A, const float *x, float *y,
                           int m, int n, int bit)
{
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int r = (blockIdx.x * 4 + warp) * 2;

    float s0 = 0.0f, s1 = 0.0f;
    for (int c = 0; c < n; c += bit) {
        int lengde = min(bit, n - c);
        for (int j = threadIdx.x; j < lengde; j += blockDim.x)
            xs[j] = x[c + j];
        __syncthreads();

        if (r < m)     s0 += stykke(A + (size_t)r * n + c, lengde, lane);
        if (r + 1 < m) s1 += stykke(A + (size_t)(r + 1) * n + c, lengde, lane);
        __syncthreads();
    }

    for (int d = 16; d > 0; d >>= 1) {
        s0 += __shfl_down_sync(0xffffffff, s0, d);
        s1 += __shfl_down_sync(0xffffffff, s1, d);
    }
    if (lane == 0) {
        if (r < m)     y[r] = s0;
        if (r + 1 < m) y[r + 1] = s1;
    }
}
