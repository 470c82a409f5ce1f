#include <cuda_runtime.h>

// Matrix-vector product, thread per row. x goes through shared memory in strips.
template <class T, int STRIP>
__global__ void gemv(T alpha, const T* __restrict__ A, const T* __restrict__ x,
                     T* __restrict__ y, int rows, int cols)
{
    __shared__ T strip[STRIP];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const bool alive = row < rows;
    T acc = 0;

    for (int c0 = 0; c0 < cols; c0 += STRIP) {
        const int len = (cols - c0 < STRIP) ? cols - c0 : STRIP;

        if (c0 != 0) __syncthreads();      // same for everybody
        for (int c = threadIdx.x; c < len; c += blockDim.x)
            strip[c] = x[c0 + c];
        __syncthreads();

        if (!alive) continue;
        for (int c = 0; c < len; ++c)
            acc += A[size_t(row) * cols + c0 + c] * strip[c];
    }
    if (alive) y[row] = alpha * acc;
}

template <class T>
cudaError_t gemvOnDevice(T alpha, const T* A, const T* x, T* y, int rows, int cols,
                         int threads = 128)
{
    int blocks = rows / threads + (rows % threads != 0);
    gemv<T, 24><<<blocks, threads>>>(alpha, A, x, y, rows, cols);
    return cudaGetLastError();
}

template cudaError_t gemvOnDevice(float, const float*, const float*, float*, int, int, int);
template cudaError_t gemvOnDevice(double, const double*, const double*, double*, int, int, int);
