// y = A * x, one block for each row of A (rows x cols, row major, float).
// Launch with <<<rows, 128>>>. The block size must be 128.
#include <cuda_runtime.h>

template <unsigned THREADS = 128>
__global__ void gemv_rows(const float* __restrict__ A, const float* __restrict__ x,
                          float* __restrict__ y, unsigned cols)
{
    __shared__ float buf[THREADS];
    const unsigned t = threadIdx.x;
    const float* row = A + size_t(blockIdx.x) * cols;

    float acc = 0.0f;
    for (unsigned c = t; c < cols; c += THREADS)
        acc += row[c] * x[c];
    buf[t] = acc;
    __syncthreads();

    for (unsigned s = THREADS / 2; s > 1; s >>= 1) {
        if (t < s)
            buf[t] += buf[t + s];
        __syncthreads();
    }

    if (t == 0)
        y[blockIdx.x] = buf[0];
}

template __global__ void gemv_rows<128>(const float*, const float*, float*, unsigned);
