// Exercise 5: how does the block size change the speed of the dot product?
// ./dot [n] [threads]     threads: any multiple of 32 up to 1024
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__global__ void dot_kernel(const float *x, const float *y, float *partial, int n)
{
    extern __shared__ float sdata[];
    const unsigned int tid = threadIdx.x;

    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x)
        v += x[i] * y[i];
    sdata[tid] = v;
    __syncthreads();

    // halve the number of active threads in every step
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        partial[blockIdx.x] = sdata[0];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    int threads = argc > 2 ? atoi(argv[2]) : 256;
    if (n <= 0 || threads < 32 || threads > 1024 || threads % 32 != 0) {
        printf("bad arguments\n");
        return 1;
    }
    const int blocks = 80;

    std::vector<float> x(n), y(n), partial(blocks);
    for (int i = 0; i < n; i++) {
        x[i] = 1.0f + (i % 4);
        y[i] = 0.5f;
    }

    float *dx, *dy, *dp;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dp, blocks * sizeof(float));
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    dot_kernel<<<blocks, threads, threads * sizeof(float)>>>(dx, dy, dp, n);
    cudaMemcpy(partial.data(), dp, blocks * sizeof(float), cudaMemcpyDeviceToHost);

    // the last 80 numbers are added on the CPU
    double gpu = 0, cpu = 0;
    for (float p : partial) gpu += p;
    for (int i = 0; i < n; i++) cpu += (double)x[i] * y[i];
    printf("gpu %f  cpu %f  %s\n", gpu, cpu,
           fabs(gpu - cpu) < 1e-5 * cpu ? "same" : "DIFFERENT");

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dp);
    return 0;
}
