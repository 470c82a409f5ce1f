// 128 x 128 for each block of 16 x 16 threads, 8 x 8 for each thread, with restrict and helpers.
namespace {
constexpr int kBlock = 128, kThread = 8, kDepth = 8;
__device__ __forceinline__ float at(const float *p, int r, int c, int rows, int cols)
{
    return r < rows && c < cols ? p[r * cols + c] : 0.f;
}
}
__global__ void __launch_bounds__(256) gemm(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int M, int N, int K)
{
    __shared__ float as[kDepth][kBlock];
    __shared__ float bs[kDepth][kBlock];
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    float acc[kThread][kThread] = {};
    for (int k0 = 0; k0 < K; k0 += kDepth) {
        for (int e = t; e < kDepth * kBlock; e += 256) {
            as[e % kDepth][e / kDepth] = at(A, blockIdx.y * kBlock + e / kDepth, k0 + e % kDepth, M, K);
            bs[e / kBlock][e % kBlock] = at(B, k0 + e / kBlock, blockIdx.x * kBlock + e % kBlock, K, N);
        }
        __syncthreads();
        for (int k = 0; k < kDepth; ++k)
            for (int i = 0; i < kThread; ++i)
                for (int j = 0; j < kThread; ++j)
                    acc[i][j] += as[k][threadIdx.y * kThread + i] * bs[k][threadIdx.x * kThread + j];
        __syncthreads();
    }
    for (int i = 0; i < kThread; ++i)
        for (int j = 0; j < kThread; ++j) {
            int r = blockIdx.y * kBlock + threadIdx.y * kThread + i, c = blockIdx.x * kBlock + threadIdx.x * kThread + j;
            if (r < M && c < N) C[r * N + c] = acc[i][j];
        }
}
