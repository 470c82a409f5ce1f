// Matrix-vector product, one warp per row (grid-stride over the rows)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define WARP 32
#define WARPS_PER_BLOCK 8

#define CUDA_OK(expr)                                                            \
    do {                                                                         \
        cudaError_t _e = (expr);                                                 \
        if (_e != cudaSuccess) {                                                 \
            std::printf("%s failed: %s\n", #expr, cudaGetErrorString(_e));       \
            std::exit(1);                                                        \
        }                                                                        \
    } while (0)

__global__ void matvec(float* __restrict__ y, const float* __restrict__ A, const float* __restrict__ x,
                       int rows, int cols)
{
    const int lane = threadIdx.x % WARP;
    const int firstRow = blockIdx.x * WARPS_PER_BLOCK + threadIdx.x / WARP;

    for (int row = firstRow; row < rows; row += gridDim.x * WARPS_PER_BLOCK) {
        const float* a = A + (size_t)row * cols;
        float s = 0.0f;
        for (int c = lane; c < cols; c += WARP)
            s += a[c] * x[c];
        for (int m = WARP / 2; m > 0; m >>= 1)
            s += __shfl_xor_sync(0xffffffff, s, m);
        if (lane == 0)
            y[row] = s;
    }
}

int main(int argc, char** argv)
{
    int rows = argc > 1 ? std::atoi(argv[1]) : 517;
    int cols = argc > 2 ? std::atoi(argv[2]) : 333;

    float *A, *x, *y;
    CUDA_OK(cudaMallocManaged(&A, sizeof(float) * rows * cols));
    CUDA_OK(cudaMallocManaged(&x, sizeof(float) * cols));
    CUDA_OK(cudaMallocManaged(&y, sizeof(float) * rows));
    for (int i = 0; i < rows * cols; ++i) A[i] = ((i * 17) % 64) / 64.0f;
    for (int i = 0; i < cols; ++i) x[i] = ((i * 5) % 32) / 16.0f - 1.0f;

    matvec<<<20, WARP * WARPS_PER_BLOCK>>>(y, A, x, rows, cols);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());

    bool ok = true;
    for (int r = 0; r < rows; ++r) {
        double ref = 0;
        for (int c = 0; c < cols; ++c) ref += (double)A[r * cols + c] * x[c];
        if (!(std::fabs(ref - y[r]) <= 1e-3)) ok = false;
    }
    std::printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(A); cudaFree(x); cudaFree(y);
    return ok ? 0 : 1;
}
