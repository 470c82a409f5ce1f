// dot product, double, two-level reduction (shuffles, then shared memory), blocks meet with atomicAdd
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char* file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

__device__ double warp_reduce(double x)
{
    x += __shfl_down_sync(0xffffffff, x, 16);
    x += __shfl_down_sync(0xffffffff, x, 8);
    x += __shfl_down_sync(0xffffffff, x, 4);
    x += __shfl_down_sync(0xffffffff, x, 2);
    x += __shfl_down_sync(0xffffffff, x, 1);
    return x;
}

template <unsigned THREADS>
__global__ void ddot(const double* __restrict__ x, const double* __restrict__ y, double* __restrict__ res, size_t n)
{
    static_assert(THREADS % 32 == 0, "full warps only");
    __shared__ double sums[THREADS / 32];

    double acc = 0.0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += (size_t)gridDim.x * THREADS)
        acc += x[i] * y[i];

    acc = warp_reduce(acc);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = acc;
    __syncthreads();

    if (threadIdx.x == 0) {
        double total = 0.0;
        for (unsigned w = 0; w < THREADS / 32; ++w) total += sums[w];
        atomicAdd(res, total);
    }
}

int main()
{
    const size_t n = 77777;
    std::vector<double> x(n), y(n);
    for (size_t i = 0; i < n; ++i) {
        x[i] = rand() / double(RAND_MAX) - 0.5;
        y[i] = rand() / double(RAND_MAX) - 0.5;
    }
    double *dx, *dy, *dr;
    gpuErrchk(cudaMalloc(&dx, n * sizeof(double)));
    gpuErrchk(cudaMalloc(&dy, n * sizeof(double)));
    gpuErrchk(cudaMalloc(&dr, sizeof(double)));
    gpuErrchk(cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemset(dr, 0, sizeof(double)));

    ddot<128><<<40, 128>>>(dx, dy, dr, n);
    gpuErrchk(cudaPeekAtLastError());

    double r = 0, ref = 0;
    gpuErrchk(cudaMemcpy(&r, dr, sizeof(double), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; ++i) ref += x[i] * y[i];
    bool ok = fabs(r - ref) < 1e-8;
    printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(dx); cudaFree(dy); cudaFree(dr);
    return ok ? 0 : 1;
}
