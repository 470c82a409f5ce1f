#include <cstdint>
#include <cuda_runtime.h>

// Quantised product: C[i][j] = scale * sum_k A[i][k] * B[k][j]
//   A: M x K, int8 in [-127, 127], row-major
//   B: K x N, int8 in [-127, 127], column-major (a column is K consecutive bytes)
//   C: M x N, float, row-major
// K is a multiple of 4 and at most 65536; both operands are 4-byte aligned.
__global__ void qmatmul(const int8_t* __restrict__ A, const int8_t* __restrict__ B,
                        float* __restrict__ C, int M, int N, int K, float scale)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= M || j >= N) return;

    // four values per word
    auto a = reinterpret_cast<const unsigned int*>(A + (size_t)i * K);
    auto b = reinterpret_cast<const unsigned int*>(B + (size_t)j * K);

    unsigned int acc = 0;
    for (int k = 0; k < K / 4; ++k)
        acc = __dp4a(a[k], b[k], acc);

    C[(size_t)i * N + j] = scale * static_cast<float>(static_cast<int>(acc));
}

cudaError_t launch_qmatmul(const int8_t* A, const int8_t* B, float* C,
                           int M, int N, int K, float scale, cudaStream_t s)
{
    const dim3 block(16, 16);
    const dim3 grid((N + 15) / 16, (M + 15) / 16);
    qmatmul<<<grid, block, 0, s>>>(A, B, C, M, N, K, scale);
    return cudaGetLastError();
}
