#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static const int kThreads = 192;
static const int kBlocks  = 48;

__device__ double warpSum(double x)
{
    for (int o = 16; o > 0; o /= 2) x += __shfl_down_sync(~0u, x, o);
    return x;
}

// valid in thread 0; blockDim.x is a multiple of 32
__device__ double blockSum(double x)
{
    __shared__ double perWarp[32];
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    x = warpSum(x);
    if (lane == 0) perWarp[w] = x;
    __syncthreads();
    if (w == 0) {
        x = lane < (blockDim.x >> 5) ? perWarp[lane] : 0.0;
        x = warpSum(x);
    }
    return x;
}

__global__ void stage1(const float* x, const float* y, size_t n, double* part)
{
    double s = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        s += (double)x[i] * y[i];
    s = blockSum(s);
    if (threadIdx.x == 0) part[blockIdx.x] = s;
}

__global__ void stage2(const double* part, int count, double* out)
{
    double s = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) s += part[i];
    s = blockSum(s);
    if (threadIdx.x == 0) *out = s;
}

int main()
{
    const size_t n = 1000003;
    std::vector<float> x(n), y(n);
    double want = 0;
    for (size_t i = 0; i < n; ++i) {
        x[i] = std::sin(0.01f * i);
        y[i] = 1.0f / (1 + i % 97);
        want += (double)x[i] * y[i];
    }

    float *dx, *dy;
    double *dp, *dr;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dp, kBlocks * sizeof(double));
    cudaMalloc(&dr, sizeof(double));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    stage1<<<kBlocks, kThreads>>>(dx, dy, n, dp);
    stage2<<<1, 64>>>(dp, kBlocks, dr);

    double got;
    cudaMemcpy(&got, dr, sizeof(double), cudaMemcpyDeviceToHost);
    std::printf("gpu %.12g cpu %.12g\n", got, want);
    cudaFree(dx); cudaFree(dy); cudaFree(dp); cudaFree(dr);
    return std::fabs(got - want) <= 1e-7 * std::fabs(want) + 1e-6 ? 0 : 1;
}
