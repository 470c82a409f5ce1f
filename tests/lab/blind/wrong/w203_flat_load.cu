// 32 x 16 tile of C per block of (16, 16) threads, two rows per thread.
// grid (ceil(N/16), ceil(M/32))
#include <cuda_runtime.h>
typedef unsigned char uchar_t;

__global__ void mm32x16(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float a[32 * 16];
    __shared__ float b[16 * 16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r0 = blockIdx.y * 32, c0 = blockIdx.x * 16;
    float u = 0.f, v = 0.f;

    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int part = 0; part < 2; ++part) {
            const uchar_t e = ty * 16 + tx + part * 256;
            const int i = r0 + e / 16, k = k0 + e % 16;
            a[e] = (i < M && k < K) ? A[i * K + k] : 0.f;
        }
        b[ty * 16 + tx] = (k0 + ty < K && c0 + tx < N) ? B[(k0 + ty) * N + c0 + tx] : 0.f;
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            u += a[ty * 16 + k] * b[k * 16 + tx];
            v += a[(ty + 16) * 16 + k] * b[k * 16 + tx];
        }
        __syncthreads();
    }
    if (c0 + tx < N) {
        if (r0 + ty < M) C[(r0 + ty) * N + c0 + tx] = u;
        if (r0 + ty + 16 < M) C[(r0 + ty + 16) * N + c0 + tx] = v;
    }
}
