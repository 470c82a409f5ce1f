// Dot product of half vectors, summed in float. Stage 1: one value per block.
// Stage 2: one block adds the block values.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

static const int kThreads = 320;      // any multiple of 32
static const int kBlocks  = 90;

__device__ __forceinline__ float blockSum(float v)
{
    __shared__ float part[32];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int warps = blockDim.x >> 5;

    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < warps ? part[lane] : 0.0f;
        for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    }
    return v;     // valid in warp 0
}

__global__ void dotStage1(const __half* x, const __half* y, int n, float* partial)
{
    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        s += __half2float(x[i]) * __half2float(y[i]);
    s = blockSum(s);
    if (threadIdx.x == 0) partial[blockIdx.x] = s;
}

__global__ void dotStage2(const float* partial, int count, float* out)
{
    float s = 0.0f;
    for (int i = threadIdx.x; i < count; i += blockDim.x) s += partial[i];
    s = blockSum(s);
    if (threadIdx.x == 0) *out = s;
}

int main()
{
    const int n = 777777;
    std::vector<__half> x(n), y(n);
    double want = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = __float2half(0.125f * (i % 16));
        y[i] = __float2half(0.25f * (i % 5));
        want += (double)__half2float(x[i]) * __half2float(y[i]);
    }

    __half *dx, *dy;
    float *dpart, *dout, got = 0.0f;
    cudaMalloc(&dx, n * sizeof(__half));
    cudaMalloc(&dy, n * sizeof(__half));
    cudaMalloc(&dpart, kBlocks * sizeof(float));
    cudaMalloc(&dout, sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(__half), cudaMemcpyHostToDevice);

    dotStage1<<<kBlocks, kThreads>>>(dx, dy, n, dpart);
    dotStage2<<<1, kThreads>>>(dpart, kBlocks, dout);
    cudaMemcpy(&got, dout, sizeof(float), cudaMemcpyDeviceToHost);

    printf("got %.1f want %.1f\n", got, want);
    cudaFree(dx); cudaFree(dy); cudaFree(dpart); cudaFree(dout);
    return std::fabs(got - want) > 1e-4 * want;
}
