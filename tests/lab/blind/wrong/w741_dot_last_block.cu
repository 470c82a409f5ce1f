// Dot product in a single launch: the block that finishes last adds up the
// partial sums of all blocks.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int MAX_BLOCKS = 1024;

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    std::printf("%s failed: %s\n", #x, cudaGetErrorString(e_)); return 1; } } while (0)

__device__ unsigned int blocksDone = 0;

__device__ void treeSum(double *cache)
{
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
}

__global__ void dotLastBlock(const double *x, const double *y, long long n,
                             volatile double *partial, double *result)
{
    __shared__ double cache[THREADS];
    __shared__ bool iAmLast;
    const int tid = threadIdx.x;

    double s = 0.0;
    for (long long i = (long long)blockIdx.x * THREADS + tid; i < n;
         i += (long long)gridDim.x * THREADS)
        s += x[i] * y[i];

    cache[tid] = s;
    __syncthreads();
    treeSum(cache);

    if (tid == 0) {
        partial[blockIdx.x] = cache[0];
        __threadfence();
        unsigned int ticket = atomicAdd(&blocksDone, 1u);
        iAmLast = (ticket == gridDim.x - 1);
    }
    __syncthreads();

    if (iAmLast) {
        __threadfence();
        cache[tid] = (tid < gridDim.x) ? partial[tid] : 0.0;
        __syncthreads();
        treeSum(cache);
        if (tid == 0) {
            *result = cache[0];
            blocksDone = 0;      // ready for the next launch
        }
    }
}

int main()
{
    for (long long n : {1LL, 1000LL, 50000LL, 3000001LL}) {
        std::vector<double> x(n), y(n);
        for (long long i = 0; i < n; ++i) {
            x[i] = std::sin(0.001 * i) + 1.5;
            y[i] = std::cos(0.002 * i) + 1.5;
        }
        int blocks = (int)std::min<long long>((n + THREADS - 1) / THREADS, MAX_BLOCKS);

        double *dx, *dy, *dPartial, *dResult, gpu = 0.0;
        CK(cudaMalloc(&dx, n * sizeof(double)));
        CK(cudaMalloc(&dy, n * sizeof(double)));
        CK(cudaMalloc(&dPartial, MAX_BLOCKS * sizeof(double)));
        CK(cudaMalloc(&dResult, sizeof(double)));
        CK(cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice));
        CK(cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice));

        dotLastBlock<<<blocks, THREADS>>>(dx, dy, n, dPartial, dResult);
        CK(cudaGetLastError());
        CK(cudaMemcpy(&gpu, dResult, sizeof(double), cudaMemcpyDeviceToHost));

        double cpu = 0.0;
        for (long long i = 0; i < n; ++i) cpu += x[i] * y[i];
        std::printf("n = %8lld  gpu = %.8f  cpu = %.8f  %s\n", n, gpu, cpu,
                    std::fabs(gpu - cpu) < 1e-9 * std::fabs(cpu) ? "ok" : "wrong");

        cudaFree(dx); cudaFree(dy); cudaFree(dPartial); cudaFree(dResult);
    }
    return 0;
}
