#include <cuda_runtime.h>

// A block takes four rows of A at once: y = A x, A is rows x cols (double).
// The block's partial sums lie in dynamic shared memory, four groups of blockDim.x.
__global__ void rows4(const double* A, const double* x, double* y, int rows, int cols)
{
    extern __shared__ double part[];
    const int t = threadIdx.x, w = blockDim.x;
    const int r0 = 4 * blockIdx.x;
    double s[4] = {0, 0, 0, 0};

    for (int c = t; c < cols; c += w) {
        double xv = x[c];
        #pragma unroll
        for (int g = 0; g < 4; ++g)
            if (r0 + g < rows)
                s[g] += A[(size_t)(r0 + g) * cols + c] * xv;
    }
    for (int g = 0; g < 4; ++g)
        part[g * w + t] = s[g];
    __syncthreads();

    for (int h = w / 2; h > 0; h /= 2) {
        if (t < h)
            for (int g = 0; g < 4; ++g)
                part[g * w + t] += part[g * w + t + h];
        __syncthreads();
    }
    if (t < 4 && r0 + t < rows)
        y[r0 + t] = part[t * w];
}

void multiply(const double* A, const double* x, double* y, int rows, int cols)
{
    int w = 32;                              // a power of two, not below 4
    while (w < cols && w < 256)
        w *= 2;
    rows4<<<(rows + 3) / 4, w, w * sizeof(double)>>>(A, x, y, rows, cols);
}
