// Reduced matrix multiplication: out(r, c) is the sum of the 2 x 2 square of
// A * B whose upper left corner is (2r, 2c). A is M x K, B is K x N, both row
// major; M and N must be even, K is arbitrary.
//
// Every thread owns one square and keeps its four products in registers.
#include <cuda_runtime.h>
#include <stdexcept>

namespace reduced {

constexpr int BLOCK_X = 16;
constexpr int BLOCK_Y = 8;

__global__ void multiply(const float* __restrict__ A,
                         const float* __restrict__ B,
                         float* __restrict__ out,
                         int M, int N, int K)
{
    const int halfM = M / 2;
    const int halfN = N / 2;
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= halfM || c >= halfN)
        return;

    const float* top    = A + (2 * r) * K;
    const float* bottom = A + (2 * r + 1) * K;

    float p00 = 0.0f, p01 = 0.0f, p10 = 0.0f, p11 = 0.0f;
    for (int k = 0; k < K; ++k) {
        const float a0 = top[k];
        const float a1 = bottom[k];
        const float b0 = B[k * N + 2 * c];
        const float b1 = B[k * N + 2 * c + 1];
        p00 += a0 * b0;
        p01 += a0 * b1;
        p10 += a1 * b0;
        p11 += a1 * b1;
    }

    out[r * halfM + c] = (p00 + p01) + (p10 + p11);
}

// Device pointers; out holds (M / 2) * (N / 2) floats.
void run(const float* A, const float* B, float* out,
         int M, int N, int K, cudaStream_t stream = nullptr)
{
    if (M <= 0 || N <= 0 || K <= 0 || M % 2 != 0 || N % 2 != 0)
        throw std::invalid_argument("M and N must be positive and even");

    const dim3 block(BLOCK_X, BLOCK_Y);
    const dim3 grid((N / 2 + BLOCK_X - 1) / BLOCK_X,
                    (M / 2 + BLOCK_Y - 1) / BLOCK_Y);
    multiply<<<grid, block, 0, stream>>>(A, B, out, M, N, K);

    const cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(status));
}

} // namespace reduced
