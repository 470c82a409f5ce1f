// y += A * x for wide row-major matrices (rows x cols).
// The columns are cut in chunks of CHUNK: block (bx, by) handles chunk bx of row by.
// Launch: grid dim3(ceil(cols / CHUNK), rows), block dim3(128); rows <= 65535, cols >= 1.
// y must be initialised by the caller.
#include <cuda_runtime.h>

enum { THREADS = 128, CHUNK = 1024 };

__global__ void matvec_chunks(const float *__restrict__ A, const float *__restrict__ x,
                              float *y, int rows, int cols)
{
    __shared__ float warpPart[THREADS / 32];

    const int row = blockIdx.y;
    const int begin = blockIdx.x * CHUNK;
    const int end = min(begin + CHUNK, cols);
    const float *a = A + (size_t)row * cols;

    float s = 0.0f;
    for (int c = begin + threadIdx.x; c < end; c += THREADS)
        s = fmaf(a[c], x[c], s);

    for (int o = 16; o > 0; o >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, o);

    if ((threadIdx.x & 31) == 0)
        warpPart[threadIdx.x >> 5] = s;
    __syncthreads();

    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int w = 0; w < THREADS / 32; ++w)
            total += warpPart[w];
        y[row] += total;
    }
}
