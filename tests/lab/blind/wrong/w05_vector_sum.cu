#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define THREADS 256

__global__ void dotKernel(const float *x, const float *y, float *partial, int n)
{
    __shared__ float cache[THREADS];
    int tid = threadIdx.x;
    float temp = 0.0f;

    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        temp += x[i] * y[i];
    cache[tid] = temp;
    __syncthreads();

    for (int s = blockDim.x / 4; s > 0; s /= 2) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        partial[blockIdx.x] = cache[0];
}

int main(int argc, char **argv)
{
    int n = 100000;
    if (argc > 1) n = atoi(argv[1]);
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks > 32) blocks = 32;

    float *x = (float *)malloc(n * sizeof(float));
    float *y = (float *)malloc(n * sizeof(float));
    float *partial = (float *)malloc(blocks * sizeof(float));
    for (int i = 0; i < n; i++) { x[i] = (float)(i % 7); y[i] = (float)(i % 5); }

    float *dx, *dy, *dp;
    cudaMalloc((void **)&dx, n * sizeof(float));
    cudaMalloc((void **)&dy, n * sizeof(float));
    cudaMalloc((void **)&dp, blocks * sizeof(float));
    cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, n * sizeof(float), cudaMemcpyHostToDevice);

    dotKernel<<<blocks, THREADS>>>(dx, dy, dp, n);
    cudaMemcpy(partial, dp, blocks * sizeof(float), cudaMemcpyDeviceToHost);

    double gpu = 0, cpu = 0;
    for (int b = 0; b < blocks; b++) gpu += partial[b];
    for (int i = 0; i < n; i++) cpu += (double)x[i] * y[i];
    printf("gpu %.1f cpu %.1f %s\n", gpu, cpu, fabs(gpu - cpu) <= 1e-4 * cpu ? "ok" : "differs");

    cudaFree(dx); cudaFree(dy); cudaFree(dp);
    free(x); free(y); free(partial);
    return 0;
}
