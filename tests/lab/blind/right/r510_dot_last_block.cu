// Dot product in a single launch: every block leaves a partial sum in `partial`, and the
// block that finishes last adds the partial sums up.
//
// partial: gridDim.x doubles.  ticket: one unsigned, 0 before the first launch (it is back
// to 0 after each launch).  Block size: a power of two from 1 to 512.  n >= 0, incx, incy >= 1, any grid.
#include <cuda_runtime.h>

__device__ void tree_sum(double *s)
{
    for (unsigned h = blockDim.x >> 1; h != 0; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
    }
    __syncthreads();
}

__global__ void dot_once(const double *__restrict__ x, int incx,
                         const double *__restrict__ y, int incy,
                         long long n, volatile double *partial,
                         unsigned *ticket, double *result)
{
    __shared__ double s[512];
    __shared__ bool last;

    double t = 0.0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x)
        t += x[i * incx] * y[i * incy];

    s[threadIdx.x] = t;
    tree_sum(s);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        // atomicInc wraps to 0 when the old value equals gridDim.x - 1
        last = (atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1);
    }
    __syncthreads();

    if (last) {
        __threadfence();
        t = 0.0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            t += partial[b];
        s[threadIdx.x] = t;
        tree_sum(s);
        if (threadIdx.x == 0)
            *result = s[0];
    }
}
