// y := alpha * A' * x + beta * y for a column-major A with m rows and n columns (lda >= m).
// x has m entries, y has n entries.  One thread per entry of y, 1-D launch with at least
// n threads in all.  x goes through shared memory in pieces of blockDim.x, so pass
// blockDim.x * sizeof(double) bytes of dynamic shared memory.  Any m, n >= 1.
#include <cuda_runtime.h>

extern "C" __global__ void dgemv_t(int m, int n, double alpha,
                                   const double *__restrict__ A, int lda,
                                   const double *__restrict__ x,
                                   double beta, double *__restrict__ y)
{
    extern __shared__ double xs[];
    const int tid = threadIdx.x;
    const int nt = blockDim.x;
    const int j = blockIdx.x * nt + tid;

    double dot = 0.0;
    for (int base = 0; base < m; base += nt) {
        const int len = min(nt, n - base);
        __syncthreads();
        if (tid < len)
            xs[tid] = x[base + tid];
        __syncthreads();
        if (j < n) {
            const double *col = A + (size_t)j * lda + base;
            for (int i = 0; i < len; ++i)
                dot += col[i] * xs[i];
        }
    }

    if (j < n)
        y[j] = (beta == 0.0) ? alpha * dot : alpha * dot + beta * y[j];
}
