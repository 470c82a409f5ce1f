// Dot product, single launch: the block that finishes last adds the partial sums.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

constexpr int THREADS = 96;
constexpr int MAXBLOCKS = 40;

__device__ float slots[MAXBLOCKS];
__device__ unsigned int done = 0;

__device__ float blockSum(float v)      // valid in thread 0
{
    __shared__ float w[THREADS / 32];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int q = 1; q < THREADS / 32; ++q) v += w[q];
    __syncthreads();
    return v;
}

__global__ void dotLast(const float* a, const float* b, int n, float* out)
{
    __shared__ bool amLast;
    float v = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += THREADS * gridDim.x)
        v += a[i] * b[i];
    v = blockSum(v);
    if (threadIdx.x == 0) {
        slots[blockIdx.x] = v;
        __threadfence();
        amLast = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (amLast) {
        __threadfence();
        float s = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += THREADS)
            s += *(volatile float*)&slots[i];
        s = blockSum(s);
        if (threadIdx.x == 0) *out = s;
    }
}

int main()
{
    int failures = 0;
    for (int n : {1, 95, 1000, 20011}) {
        std::vector<float> a(n), b(n);
        float ref = 0, got;
        for (int i = 0; i < n; ++i) { a[i] = i % 5 - 2; b[i] = i % 3; ref += a[i] * b[i]; }
        float *da, *db, *r;
        cudaMalloc(&da, n * sizeof(float)); cudaMalloc(&db, n * sizeof(float)); cudaMalloc(&r, sizeof(float));
        cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        int blocks = (n + THREADS - 1) / THREADS;
        dotLast<<<blocks < MAXBLOCKS ? blocks : MAXBLOCKS, THREADS>>>(da, db, n, r);
        cudaMemcpy(&got, r, sizeof(float), cudaMemcpyDeviceToHost);
        printf("n=%d gpu %g cpu %g\n", n, got, ref);
        failures += got != ref;
        cudaFree(da); cudaFree(db); cudaFree(r);
    }
    return failures;
}
