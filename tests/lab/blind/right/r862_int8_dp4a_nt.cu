#include <cstdint>
#include <cuda_runtime.h>

// acc[M][N] (int32) = act[M][K] (int8) * wgt[N][K]^T (int8)
// K % 4 == 0, K < 131072 (keeps |acc| below 2^31), act/wgt 4-byte aligned, rows dense.
// <<<dim3(ceil(N/16), ceil(M/16)), dim3(16,16)>>>
__global__ void igemm_nt(const int8_t* __restrict__ act, const int8_t* __restrict__ wgt,
                         int32_t* __restrict__ acc, int M, int N, int K)
{
    __shared__ int a4[16][17], w4[16][17];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int m = blockIdx.y * 16 + ty;
    const int n = blockIdx.x * 16 + tx;
    const int nl = blockIdx.x * 16 + ty;
    const int words = K >> 2;

    const int* ap = reinterpret_cast<const int*>(act) + (size_t)(m < M ? m : 0) * words;
    const int* wp = reinterpret_cast<const int*>(wgt) + (size_t)(nl < N ? nl : 0) * words;

    int s = 0;
    for (int w = tx; w - tx < words; w += 16) {
        const bool in = w < words;
        a4[ty][tx] = in ? ap[w] : 0;
        w4[ty][tx] = in ? wp[w] : 0;
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 16; ++q) s = __dp4a(a4[ty][q], w4[tx][q], s);
        __syncthreads();
    }
    if (m < M && n < N) acc[(size_t)m * N + n] = s;
}
