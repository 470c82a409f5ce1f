#include <cuda_runtime.h>

// y = A x. A block of BD threads handles BD * R rows, R rows per thread.
// x goes through shared memory in pieces of BD elements.

struct Matrix {
    int height, width, stride;   // stride >= width, in elements
    const double *data;
};

struct Vector {
    int length;
    double *data;
};

template <int BD, int R>
__global__ void matvecRows(Matrix A, Vector x, Vector y)
{
    __shared__ double xs[BD];
    const int t = threadIdx.x;
    const int first = blockIdx.x * BD * R + t;

    double acc[R];
#pragma unroll
    for (int r = 0; r < R; ++r)
        acc[r] = 0.0;

    for (int c0 = 0; c0 < A.width; c0 += BD) {
        __syncthreads();
        if (c0 + t < A.width) xs[t] = x.data[c0 + t];

        const int len = min(BD, A.width - c0);
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const int row = first + r * BD;
            if (row < A.height) {
                const double *a = A.data + (size_t)row * A.stride + c0;
                for (int c = 0; c < len; ++c)
                    acc[r] += a[c] * xs[c];
            }
        }
        __syncthreads();
    }

#pragma unroll
    for (int r = 0; r < R; ++r) {
        const int row = first + r * BD;
        if (row < A.height)
            y.data[row] = acc[r];
    }
}

// x.length == A.width, y.length == A.height
cudaError_t matvec(const Matrix &A, const Vector &x, const Vector &y)
{
    if (x.length != A.width || y.length != A.height)
        return cudaErrorInvalidValue;
    constexpr int BD = 64, R = 3;
    const int blocks = (A.height + BD * R - 1) / (BD * R);
    matvecRows<BD, R><<<blocks, BD>>>(A, x, y);
    return cudaGetLastError();
}
