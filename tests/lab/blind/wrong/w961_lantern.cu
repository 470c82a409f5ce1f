#include <cuda_runtime.h>

constexpr int T = 16;

// C = A*B with the next tiles fetched into registers while the current ones are used
__global__ void mm_prefetch(const float* __restrict__ A, const float* __restrict__ B,
                            float* __restrict__ C, int M, int N, int K)
{
    __shared__ float sA[T][T];
    __shared__ float sB[T][T];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r = blockIdx.y * T + ty;
    const int c = blockIdx.x * T + tx;

    float ra = (r < M && tx < K) ? A[r * K + tx] : 0.f;
    float rb = (ty < K && c < N) ? B[ty * N + c] : 0.f;
    float acc = 0.f;

    for (int k0 = 0; k0 < K; k0 += T)
    {
        sA[ty][tx] = ra;
        sB[ty][tx] = rb;
        __syncthreads();

        const int kn = k0 + T;
        ra = (r < M && kn + tx < K) ? A[r * K + kn + tx] : 0.f;
        rb = (kn + ty < K && c < N) ? B[(kn + ty) * N + c] : 0.f;

#pragma unroll
        for (int k = 0; k < T; ++k)
            acc += sA[ty][k] * sB[k][tx];
    }

    if (r < M && c < N) C[r * N + c] = acc;
}

void run_mm(const float* A, const float* B, float* C, int M, int N, int K)
{
    dim3 grid((N + T - 1) / T, (M + T - 1) / T);
    mm_prefetch<<<grid, dim3(T, T)>>>(A, B, C, M, N, K);
}
