// Dot product with warp shuffles; one atomic per block.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int kThreads = 512;

template <int WIDTH>
__device__ __forceinline__ float reduce(float v)
{
#pragma unroll
    for (int offset = WIDTH / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

__global__ void dot_kernel(const float *x, const float *y, float *out, int n)
{
    __shared__ float warp_sums[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const int nwarps = blockDim.x / 32;

    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += x[i] * y[i];

    v = reduce<32>(v);
    if (lane == 0)
        warp_sums[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = lane < nwarps ? warp_sums[lane] : 0.0f;
        v = reduce<8>(v);
        if (lane == 0)
            atomicAdd(out, v);
    }
}

int main()
{
    const int n = 300000;
    std::vector<float> x(n), y(n);
    double expected = 0;
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0f / (1 + i % 10);
        y[i] = (i % 3) * 0.5f;
        expected += (double)x[i] * y[i];
    }

    float *dx, *dy, *dout, result = 0;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dout, sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dout, 0, sizeof(float));

    const int blocks = (n + 4 * kThreads - 1) / (4 * kThreads);
    dot_kernel<<<blocks, kThreads>>>(dx, dy, dout, n);
    cudaMemcpy(&result, dout, sizeof(float), cudaMemcpyDeviceToHost);

    const bool ok = std::fabs(result - expected) < 1e-4 * expected;
    printf("%g vs %g: %s\n", result, expected, ok ? "PASS" : "FAIL");
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dout);
    return ok ? 0 : 1;
}
