#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr unsigned ALL = 0xffffffffu;

__device__ float warpSum(float v)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(ALL, v, d);
    return v;
}

__device__ float blockSum(float v)
{
    __shared__ float sums[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    v = warpSum(v);
    if (lane == 0) sums[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = sums[lane];
        v = warpSum(v);
    }
    return v;   // meaningful in thread 0
}

__global__ void dot(const float* __restrict__ x, const float* __restrict__ y,
                    float* __restrict__ out, int n)
{
    float v = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += x[i] * y[i];
    v = blockSum(v);
    if (threadIdx.x == 0) atomicAdd(out, v);
}

int main()
{
    const int n = 300000;
    std::vector<float> x(n), y(n);
    double expected = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = (i % 5) * 0.25f;
        y[i] = (i % 7) * 0.5f;
        expected += (double)x[i] * y[i];
    }

    float *dx, *dy, *dout;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dout, sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dout, 0, sizeof(float));

    dot<<<80, 256>>>(dx, dy, dout, n);

    float result;
    cudaMemcpy(&result, dout, sizeof(float), cudaMemcpyDeviceToHost);
    printf("device %.2f, host %.2f\n", result, expected);

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dout);
    return 0;
}
