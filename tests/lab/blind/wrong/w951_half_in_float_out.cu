#include <cuda_runtime.h>
#include <cuda_fp16.h>

// C (float, M x N) = A (half, M x K) * B (half, K x N), for any K;
// small whole numbers have to come out exactly.
// launch: block (BS, BS), grid (ceil(N / BS), ceil(M / BS))
constexpr int BS = 16;

__global__ void hgemm(const half* __restrict__ A, const half* __restrict__ B,
                      float* __restrict__ C, int M, int N, int K)
{
    __shared__ half shA[BS][BS];
    __shared__ half shB[BS][BS];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * BS + ty;
    const int col = blockIdx.x * BS + tx;
    const half nil = __float2half(0.f);

    half acc = nil;
    for (int k0 = 0; k0 < K; k0 += BS) {
        shA[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : nil;
        shB[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : nil;
        __syncthreads();
        for (int e = 0; e < BS; ++e)
            acc = __hfma(shA[ty][e], shB[e][tx], acc);
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = __half2float(acc);
}
