// Matrix-vector product; the whole vector x is kept in dynamic shared memory,
// every thread computes one row. cols may go up to 6000.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T>
__global__ void gemvSharedX(const T* A, const T* x, T* y, int rows, int cols)
{
    extern __shared__ unsigned char raw[];
    T* xs = reinterpret_cast<T*>(raw);

    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        xs[c] = x[c];
    __syncthreads();

    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        T sum = T(0);
        // A is column-major, so neighbouring threads read neighbouring values
        for (int c = 0; c < cols; ++c)
            sum += A[(size_t)c * rows + r] * xs[c];
        y[r] = sum;
    }
}

template <typename T>
void launchGemv(const T* A, const T* x, T* y, int rows, int cols)
{
    const int threads = 128;
    const int blocks = (rows + threads - 1) / threads;
    const size_t shmem = cols * sizeof(float);
    gemvSharedX<T><<<blocks, threads, shmem>>>(A, x, y, rows, cols);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        std::fprintf(stderr, "launch: %s\n", cudaGetErrorString(e));
        std::exit(1);
    }
}

int main()
{
    const int rows = 2000, cols = 5000;
    std::vector<double> A((size_t)rows * cols), x(cols), y(rows);
    for (size_t i = 0; i < A.size(); ++i) A[i] = double(i % 31) / 31.0;
    for (int i = 0; i < cols; ++i) x[i] = double(i % 3) - 1.0;

    double *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dx, x.size() * sizeof(double));
    cudaMalloc(&dy, y.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);

    launchGemv(dA, dx, dy, rows, cols);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double err = 0.0;
    for (int r = 0; r < rows; ++r) {
        double s = 0.0;
        for (int c = 0; c < cols; ++c) s += A[(size_t)c * rows + r] * x[c];
        err = std::fmax(err, std::fabs(s - y[r]));
    }
    std::printf("error %g\n", err);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    return err < 1e-9 ? 0 : 1;
}
