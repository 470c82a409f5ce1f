#include <cuda_runtime.h>

// Matrix-vector product in double precision. Every warp takes one row,
// 8 warps per block:
//
//    matvec_d<<<(rows + 7) / 8, 256>>>(A, ld, x, y, rows, cols);
//
// A is row-major with leading dimension ld >= cols. rows, cols arbitrary.

#define WARP 32
#define FULL_MASK 0xffffffffu

__device__ double butterfly(double v)
{
    // after log2 steps every lane holds the sum of the warp
    for (int m = 1; m < WARP / 2; m <<= 1)
        v += __shfl_xor_sync(FULL_MASK, v, m);
    return v;
}

__global__ void matvec_d(const double *A, int ld, const double *x, double *y, int rows, int cols)
{
    const int lane = threadIdx.x & (WARP - 1);
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;

    if (warp < rows) {
        const double *a = A + (long long)warp * ld;
        double s0 = 0.0, s1 = 0.0;
        int j = lane;
        // two independent sums hide some latency
        for (; j + WARP < cols; j += 2 * WARP) {
            s0 += a[j] * x[j];
            s1 += a[j + WARP] * x[j + WARP];
        }
        if (j < cols)
            s0 += a[j] * x[j];

        double s = butterfly(s0 + s1);
        if (lane == 0)
            y[warp] = s;
    }
}
