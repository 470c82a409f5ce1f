#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

// Two-stage dot product. The first kernel leaves one value per block,
// the second one adds these values with a single block.

template <int NT>
__device__ double reduceBlock(double v)
{
    __shared__ double s[NT];
    const int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int half = NT / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    return s[0];
}

template <int NT>
__global__ void dotParts(const double* x, const double* y, double* parts, long n)
{
    double v = 0.0;
    for (long i = (long)blockIdx.x * NT + threadIdx.x; i < n; i += (long)gridDim.x * NT)
        v += x[i] * y[i];
    v = reduceBlock<NT>(v);
    if (threadIdx.x == 0) parts[blockIdx.x] = v;
}

template <int NT>
__global__ void addParts(const double* parts, int count, double* out)
{
    double v = 0.0;
    for (int i = threadIdx.x; i < count; i += NT) v += parts[i];
    v = reduceBlock<NT>(v);
    if (threadIdx.x == 0) *out = v;
}

int main()
{
    constexpr int threads1 = 256;
    constexpr int blocks1 = 96;
    constexpr int threads2 = 96;
    const long n = 3000001;

    std::vector<double> x(n), y(n);
    double host = 0.0;
    for (long i = 0; i < n; ++i) {
        x[i] = 1e-3 * (i % 1000);
        y[i] = 2.0 - 1e-2 * (i % 100);
        host += x[i] * y[i];
    }

    double *dx, *dy, *dparts, *dout, gpu = 0.0;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&dparts, blocks1 * sizeof(double));
    cudaMalloc(&dout, sizeof(double));
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    dotParts<threads1><<<blocks1, threads1>>>(dx, dy, dparts, n);
    addParts<threads2><<<1, threads2>>>(dparts, blocks1, dout);
    cudaMemcpy(&gpu, dout, sizeof(double), cudaMemcpyDeviceToHost);

    std::printf("gpu %.6f  host %.6f  rel %.2e\n", gpu, host, std::fabs(gpu - host) / host);
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dparts);
    cudaFree(dout);
    return 0;
}
