#include <cuda_runtime.h>

// y = A x, A row-major with m rows and n columns (any m, n).
// One thread per row, x is staged through shared memory in pieces of BD.
template <typename T, int BD>
__global__ void gemv(const T* __restrict__ A, const T* __restrict__ x, T* __restrict__ y,
                     int m, int n)
{
    __shared__ T piece[BD];

    const int row = blockIdx.x * BD + threadIdx.x;
    if (row >= m) return;

    const T* a = A + (size_t)row * n;
    T sum = T(0);
    for (int j0 = 0; j0 < n; j0 += BD) {
        const int j = j0 + threadIdx.x;
        piece[threadIdx.x] = j < n ? x[j] : T(0);
        __syncthreads();

        const int stop = n - j0 < BD ? n - j0 : BD;
        for (int e = 0; e < stop; ++e)
            sum += a[j0 + e] * piece[e];
        __syncthreads();
    }
    y[row] = sum;
}

void gemv_float(const float* A, const float* x, float* y, int m, int n)
{
    constexpr int BD = 128;
    gemv<float, BD><<<(m + BD - 1) / BD, BD>>>(A, x, y, m, n);
}
