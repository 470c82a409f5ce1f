// Dot product in one launch: the block that finishes last adds the partial sums.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

#define BLOCK 128
#define GRID 64

__device__ unsigned int finished = 0;

__device__ double tree(double v, double *sh)
{
    sh[threadIdx.x] = v;
    __syncthreads();
    for (int h = BLOCK / 2; h > 0; h /= 2) {
        if (threadIdx.x < h) sh[threadIdx.x] += sh[threadIdx.x + h];
        __syncthreads();
    }
    return sh[0];
}

__global__ void dot(const double *x, const double *y, size_t n, volatile double *partial, double *out)
{
    __shared__ double sh[BLOCK];
    __shared__ bool last;

    double s = 0.0;
    const size_t stride = (size_t)gridDim.x * BLOCK;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += stride)
        s += x[i] * y[i];
    s = tree(s, sh);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        __threadfence();
        unsigned int ticket = atomicAdd(&finished, 1u);
        last = (ticket == gridDim.x - 1);
    }
    __syncthreads();

    if (last) {
        __threadfence();
        double t = 0.0;
        for (int b = threadIdx.x; b < gridDim.x; b += BLOCK)
            t += partial[b];
        t = tree(t, sh);
        if (threadIdx.x == 0) {
            *out = t;
            finished = 0;       // ready for the next launch
        }
    }
}

int main()
{
    const size_t n = 1234567;
    std::vector<double> x(n), y(n);
    double want = 0.0;
    for (size_t i = 0; i < n; ++i) {
        x[i] = 1.0 / (1.0 + i % 100);
        y[i] = (i % 2) ? 1.0 : 3.0;
        want += x[i] * y[i];
    }
    double *dx, *dy, *dp, *dout;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&dp, GRID * sizeof(double));
    cudaMalloc(&dout, sizeof(double));
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    for (int rep = 0; rep < 3; ++rep) {
        double got = 0.0;
        dot<<<GRID, BLOCK>>>(dx, dy, n, dp, dout);
        cudaMemcpy(&got, dout, sizeof(double), cudaMemcpyDeviceToHost);
        printf("run %d: %.9f (host %.9f) %s\n", rep, got, want,
               fabs(got - want) < 1e-8 * want ? "ok" : "NOT OK");
    }
    cudaFree(dx); cudaFree(dy); cudaFree(dp); cudaFree(dout);
    return 0;
}
