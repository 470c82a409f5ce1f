// dot(a, b) with one kernel. The last block to arrive sums what the others left in memory.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int THREADS>
__device__ float blockSum(float v)
{
    __shared__ float tmp[THREADS];
    const int t = threadIdx.x;
    __syncthreads();            // tmp may still be in use from an earlier call
    tmp[t] = v;
    __syncthreads();
    for (int h = THREADS / 2; h > 0; h >>= 1) {
        if (t < h) tmp[t] += tmp[t + h];
        __syncthreads();
    }
    return tmp[0];
}

template <int THREADS>
__global__ void dotKernel(const float* a, const float* b, int n,
                          volatile float* sums, unsigned* arrived, float* result)
{
    __shared__ bool last;
    float v = 0.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        v += a[i] * b[i];
    v = blockSum<THREADS>(v);

    if (threadIdx.x == 0) {
        sums[blockIdx.x] = v;
        last = atomicAdd(arrived, 1u) + 1 == gridDim.x;
    }
    __syncthreads();
    if (!last) return;

    v = 0.0f;
    for (int i = threadIdx.x; i < gridDim.x; i += THREADS)
        v += sums[i];
    v = blockSum<THREADS>(v);
    if (threadIdx.x == 0) *result = v;
}

int main()
{
    constexpr int threads = 256;
    const int n = 3000000, blocks = 320;
    std::vector<float> ones(n, 1.0f), halves(n, 0.5f);

    float *a, *b, *sums, *result;
    unsigned* arrived;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&sums, blocks * sizeof(float));
    cudaMalloc(&result, sizeof(float));
    cudaMalloc(&arrived, sizeof(unsigned));
    cudaMemcpy(a, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, halves.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    for (int rep = 0; rep < 10; ++rep) {
        cudaMemset(arrived, 0, sizeof(unsigned));
        dotKernel<threads><<<blocks, threads>>>(a, b, n, sums, arrived, result);
        float r;
        cudaMemcpy(&r, result, sizeof(float), cudaMemcpyDeviceToHost);
        std::printf("%2d: %.1f (expected %.1f)\n", rep, r, 0.5 * n);
    }

    for (void* p : {(void*)a, (void*)b, (void*)sums, (void*)result, (void*)arrived})
        cudaFree(p);
    return 0;
}
