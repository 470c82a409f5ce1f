// Row-wise softmax: one pass gathers the statistics, a second one writes.
//
// Each block handles one row at a time and walks over the rows with a stride
// of gridDim.x. Every thread keeps a running (maximum, scaled sum) pair and
// the pairs are merged by a tree in shared memory.
//
// Requirements: blockDim.x is a power of two, at most MAX_THREADS; cols >= 1;
// the inputs are finite.
#include <cuda_runtime.h>
#include <cfloat>

constexpr int MAX_THREADS = 512;

struct Running {
    float peak;   // largest value seen so far
    float total;  // sum of exp(x - peak) over the values seen so far
};

__device__ inline Running merge(Running a, Running b)
{
    Running hi = a.peak >= b.peak ? a : b;
    Running lo = a.peak >= b.peak ? b : a;
    hi.total += lo.total * expf(lo.peak - hi.peak);
    return hi;
}

__global__ void softmax_rows(const float* __restrict__ in,
                             float* __restrict__ out,
                             int rows, int cols)
{
    __shared__ Running scratch[MAX_THREADS];
    const int t = threadIdx.x;

    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* src = in + (size_t)row * cols;
        float* dst = out + (size_t)row * cols;

        Running mine = { -FLT_MAX, 0.0f };
        for (int c = t; c < cols; c += blockDim.x) {
            Running single = { src[c], 1.0f };
            mine = merge(mine, single);
        }
        scratch[t] = mine;
        __syncthreads();

        for (int half = blockDim.x / 2; half > 0; half >>= 1) {
            if (t < half)
                scratch[t] = merge(scratch[t], scratch[t + half]);
            __syncthreads();
        }

        const Running all = scratch[0];
        const float inv = 1.0f / all.total;
        for (int c = t; c < cols; c += blockDim.x)
            dst[c] = expf(src[c] - all.peak) * inv;

        // scratch is refilled for the next row
        __syncthreads();
    }
}
