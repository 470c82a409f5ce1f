#include <cuda_runtime.h>

// y = A x for an R x C row-major float matrix.
// A block handles one row; launch with R blocks of BLOCK threads.
template <unsigned BLOCK>
__global__ void rowTimesVector(const float* A, const float* x, float* y, int C)
{
    static_assert((BLOCK & (BLOCK - 1)) == 0, "power of two, please");
    __shared__ float buf[BLOCK];

    const auto tid = threadIdx.x;
    const float* row = A + static_cast<size_t>(blockIdx.x) * C;

    auto sum = 0;
    for (int c = tid; c < C; c += BLOCK)
        sum += row[c] * x[c];

    buf[tid] = sum;
    __syncthreads();

    for (unsigned half = BLOCK / 2; half >= 1; half >>= 1) {
        if (tid < half) buf[tid] += buf[tid + half];
        __syncthreads();
    }

    if (tid == 0) y[blockIdx.x] = buf[0];
}

void multiply(const float* A, const float* x, float* y, int R, int C)
{
    rowTimesVector<64><<<R, 64>>>(A, x, y, C);
}
