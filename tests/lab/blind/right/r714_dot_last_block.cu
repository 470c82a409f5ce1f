// Dot product in a single launch: the block that finishes last adds up the partial sums.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

__device__ unsigned int finishedBlocks = 0;

// blockDim.x must be a power of two, dynamic shared memory: blockDim.x doubles
__global__ void dotSingleLaunch(const double* a, const double* b, size_t n,
                                double* partial, double* out)
{
    extern __shared__ double cache[];
    __shared__ bool iAmLast;
    const unsigned int tid = threadIdx.x;

    double s = 0.0;
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n; i += stride)
        s += a[i] * b[i];
    cache[tid] = s;
    __syncthreads();
    for (unsigned int h = blockDim.x / 2; h > 0; h /= 2) {
        if (tid < h) cache[tid] += cache[tid + h];
        __syncthreads();
    }

    if (tid == 0) {
        partial[blockIdx.x] = cache[0];
        __threadfence();
        unsigned int ticket = atomicAdd(&finishedBlocks, 1u);
        iAmLast = (ticket == gridDim.x - 1);
    }
    __syncthreads();

    if (iAmLast) {
        __threadfence();
        s = 0.0;
        for (unsigned int i = tid; i < gridDim.x; i += blockDim.x)
            s += ((volatile double*)partial)[i];
        cache[tid] = s;
        __syncthreads();
        for (unsigned int h = blockDim.x / 2; h > 0; h /= 2) {
            if (tid < h) cache[tid] += cache[tid + h];
            __syncthreads();
        }
        if (tid == 0) {
            *out = cache[0];
            finishedBlocks = 0;      // ready for the next launch
        }
    }
}

int main(int argc, char** argv)
{
    size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1234567;
    const int threads = 128, blocks = 200;

    std::vector<double> a(n), b(n);
    double ref = 0.0;
    for (size_t i = 0; i < n; ++i) {
        a[i] = 1.0 / double(i + 1);
        b[i] = (i % 3 == 0) ? 2.0 : -1.0;
        ref += a[i] * b[i];
    }

    double *da, *db, *dp, *dr;
    cudaMalloc(&da, n * sizeof(double));
    cudaMalloc(&db, n * sizeof(double));
    cudaMalloc(&dp, blocks * sizeof(double));
    cudaMalloc(&dr, sizeof(double));
    cudaMemcpy(da, a.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    for (int rep = 0; rep < 3; ++rep) {
        dotSingleLaunch<<<blocks, threads, threads * sizeof(double)>>>(da, db, n, dp, dr);
        double r = 0.0;
        cudaMemcpy(&r, dr, sizeof(double), cudaMemcpyDeviceToHost);
        std::printf("run %d: %.12f (cpu %.12f, diff %.2e)\n", rep, r, ref, std::fabs(r - ref));
    }
    cudaFree(da); cudaFree(db); cudaFree(dp); cudaFree(dr);
    return 0;
}
