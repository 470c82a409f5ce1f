// Matrix-vector product y = A * x, A is rows x cols, row-major.
// Each thread owns one row. The block reads x in pieces of 128 into shared
// memory so that every element of x is fetched once per block.
#include <cuda_runtime.h>

namespace lab4 {

constexpr int BS = 128;

template <class Real>
__global__ void matvec(const Real* __restrict__ A, const Real* __restrict__ x,
                       Real* __restrict__ y, int rows, int cols)
{
    __shared__ Real piece[BS];

    const int row = blockIdx.x * BS + threadIdx.x;
    Real dot = Real(0);

    for (int start = 0; start < cols; start += BS) {
        const int c = start + threadIdx.x;
        piece[threadIdx.x] = c < cols ? x[c] : Real(0);
        __syncthreads();

        if (row < rows) {
            const int len = min(BS, cols - start);
            for (int j = 0; j < len; ++j)
                dot += A[size_t(row) * cols + start + j] * piece[j];
        }
    }

    if (row < rows)
        y[row] = dot;
}

// device pointers, any rows and cols
template <class Real>
void multiply(const Real* A, const Real* x, Real* y, int rows, int cols)
{
    const int blocks = (rows + BS - 1) / BS;
    matvec<Real><<<blocks, BS>>>(A, x, y, rows, cols);
}

template void multiply<float>(const float*, const float*, float*, int, int);
template void multiply<double>(const double*, const double*, double*, int, int);

}  // namespace lab4
