// CUDA lab 7: inner product, single kernel with a ticket counter
#include <iostream>
#include <iomanip>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr unsigned kBlock = 128;
constexpr unsigned kMaxGrid = 256;

__device__ unsigned int g_ticket;

__device__ float warpSum(float v)
{
    for (int s = 16; s >= 1; s /= 2)
        v += __shfl_down_sync(0xffffffff, v, s);
    return v;
}

__device__ float blockSum(float v)
{
    __shared__ float w[kBlock / 32];
    __syncthreads();                    // w may still be in use from an earlier call
    v = warpSum(v);
    if (threadIdx.x % 32 == 0)
        w[threadIdx.x / 32] = v;
    __syncthreads();
    float t = 0.f;
    for (unsigned i = 0; i < kBlock / 32; ++i)
        t += w[i];
    return t;
}

__global__ void innerProduct(const float* a, const float* b, float* partials, float* result, unsigned n)
{
    __shared__ bool last;

    float v = 0.f;
    for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock)
        v += a[i] * b[i];
    v = blockSum(v);

    if (threadIdx.x == 0) {
        partials[blockIdx.x] = v;
        __threadfence();
        // the block that draws the last ticket does the final sum
        last = (atomicAdd(&g_ticket, 1u) == gridDim.x);
    }
    __syncthreads();

    if (last) {
        float t = 0.f;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += kBlock)
            t += __ldcg(&partials[i]);
        t = blockSum(t);
        if (threadIdx.x == 0) {
            *result = t;
            g_ticket = 0;               // ready for the next launch
        }
    }
}

float gpuInner(const std::vector<float>& a, const std::vector<float>& b)
{
    unsigned n = (unsigned)a.size();
    unsigned grid = (n + kBlock - 1) / kBlock;
    if (grid > kMaxGrid) grid = kMaxGrid;

    float *da, *db, *dp, *dr;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&dp, grid * sizeof(float));
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(float));

    innerProduct<<<grid, kBlock>>>(da, db, dp, dr, n);

    float r;
    cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(da); cudaFree(db); cudaFree(dp); cudaFree(dr);
    return r;
}

int main()
{
    for (unsigned n : {100u, 5000u, 1000000u}) {
        std::vector<float> a(n), b(n);
        double ref = 0;
        for (unsigned i = 0; i < n; ++i) {
            a[i] = 1.0f / (1 + i % 10);
            b[i] = 0.5f + i % 3;
            ref += (double)a[i] * b[i];
        }
        float r = gpuInner(a, b);
        std::cout << std::setw(8) << n << "  " << r << "  " << ref
                  << (std::fabs(r - ref) < 1e-4 * ref ? "  pass" : "  fail") << "\n";
    }
    return 0;
}
