// Lecture 5 demo: dot product with a tree in shared memory.
// Every block leaves one partial sum; the host adds the few that remain.
#include <iostream>
#include <vector>
#include <cuda_runtime.h>

const int THREADS = 256;     // a power of two: the tree halves it
const int BLOCKS  = 64;

__global__ void dotKernel(const float* x, const float* y, float* partial, int n)
{
    __shared__ float cache[THREADS];

    float mine = 0.0f;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)n; i += stride)
        mine += x[i] * y[i];
    cache[threadIdx.x] = mine;
    __syncthreads();

    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        partial[blockIdx.x] = cache[0];
}

int main()
{
    const int n = 100003;
    std::vector<float> x(n), y(n), partial(BLOCKS);
    double expected = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = float(i % 10);
        y[i] = (i % 2) ? 1.0f : -0.5f;
        expected += double(x[i]) * y[i];
    }

    float *dx, *dy, *dp;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dp, BLOCKS * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    dotKernel<<<BLOCKS, THREADS>>>(dx, dy, dp, n);

    cudaError_t err = cudaMemcpy(partial.data(), dp, BLOCKS * sizeof(float), cudaMemcpyDeviceToHost);
    if (err != cudaSuccess) {
        std::cerr << cudaGetErrorString(err) << '\n';
        return 1;
    }
    double dot = 0.0;
    for (float p : partial)
        dot += p;

    std::cout << "dot = " << dot << ", expected " << expected << '\n';
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dp);
    return 0;
}
