// Dot product, block reduction in dynamic shared memory.
// usage: ./dot [n] [threads]     threads: multiple of 32, 32..1024
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void dotKernel(const float *u, const float *v, float *partial, int n)
{
    extern __shared__ float cache[];

    int tid = threadIdx.x;
    int gid = tid + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;

    float temp = 0.0f;
    while (gid < n) {
        temp += u[gid] * v[gid];
        gid += stride;
    }
    cache[tid] = temp;
    __syncthreads();

    int i = blockDim.x / 2;
    while (i != 0) {
        if (tid < i)
            cache[tid] += cache[tid + i];
        __syncthreads();
        i /= 2;
    }

    if (tid == 0)
        partial[blockIdx.x] = cache[0];
}

int main(int argc, char **argv)
{
    int n = 33 * 1024;
    int threads = 256;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) threads = atoi(argv[2]);
    if (n < 1 || n > 50000000 || threads < 32 || threads > 1024 || threads % 32 != 0) {
        printf("usage: %s [n] [threads]\n", argv[0]);
        return 1;
    }
    int blocks = (n + threads - 1) / threads;
    if (blocks > 32) blocks = 32;

    float *u = (float *)malloc(n * sizeof(float));
    float *v = (float *)malloc(n * sizeof(float));
    float *partial = (float *)malloc(blocks * sizeof(float));
    for (int i = 0; i < n; i++) {
        u[i] = (i % 100) * 0.01f;
        v[i] = (i % 50) * 0.02f;
    }

    float *d_u, *d_v, *d_partial;
    cudaMalloc((void **)&d_u, n * sizeof(float));
    cudaMalloc((void **)&d_v, n * sizeof(float));
    cudaMalloc((void **)&d_partial, blocks * sizeof(float));
    cudaMemcpy(d_u, u, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_v, v, n * sizeof(float), cudaMemcpyHostToDevice);

    dotKernel<<<blocks, threads, threads * sizeof(float)>>>(d_u, d_v, d_partial, n);

    cudaMemcpy(partial, d_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
    double gpu = 0, cpu = 0;
    for (int i = 0; i < blocks; i++) gpu += partial[i];
    for (int i = 0; i < n; i++) cpu += (double)u[i] * v[i];
    printf("gpu = %.4f\ncpu = %.4f\n", gpu, cpu);

    cudaFree(d_u); cudaFree(d_v); cudaFree(d_partial);
    free(u); free(v); free(partial);
    return 0;
}
