// Times a grid-stride dot product over several runs and checks the value.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int kBlock = 256;
constexpr int kGrid  = 120;
constexpr int kRuns  = 10;

__global__ void dotKernel(const float* __restrict__ x, const float* __restrict__ y,
                          size_t n, double* result)
{
    __shared__ double warpSums[kBlock / 32];
    double v = 0.0;
    for (size_t i = blockIdx.x * (size_t)kBlock + threadIdx.x; i < n; i += (size_t)kGrid * kBlock)
        v += (double)x[i] * y[i];

    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) == 0)
        warpSums[threadIdx.x >> 5] = v;
    __syncthreads();

    if (threadIdx.x == 0) {
        double s = 0.0;
        for (int w = 0; w < kBlock / 32; ++w) s += warpSums[w];
        atomicAdd(result, s);
    }
}

int main()
{
    const size_t n = size_t(1) << 24;
    std::vector<float> hx(n), hy(n);
    double expected = 0.0;
    for (size_t i = 0; i < n; ++i) {
        hx[i] = 1.0f + (i & 7);
        hy[i] = 0.5f * (i & 3);
        expected += (double)hx[i] * hy[i];
    }

    float *x, *y;
    double *res;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&res, sizeof(double));
    cudaMemcpy(x, hx.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, hy.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(res, 0, sizeof(double));

    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    for (int r = 0; r < kRuns; ++r) {
        dotKernel<<<kGrid, kBlock>>>(x, y, n, res);
    }
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);

    float ms = 0.0f;
    cudaEventElapsedTime(&ms, start, stop);
    double got = 0.0;
    cudaMemcpy(&got, res, sizeof(double), cudaMemcpyDeviceToHost);
    printf("%.3f ms per run, dot = %.1f, expected %.1f, rel. diff %g\n",
           ms / kRuns, got, expected, fabs(got - expected) / expected);

    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(x); cudaFree(y); cudaFree(res);
    return 0;
}
