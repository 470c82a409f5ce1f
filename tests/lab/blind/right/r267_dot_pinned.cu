/* Dot product of two unsigned vectors. The host adds the sums of the blocks. */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define BLOCK_SIZE 128
typedef unsigned long long u64;

#define CUDA_OK(x) if ((x) != cudaSuccess) { puts("CUDA error in " #x); exit(1); }

/* two elements per thread are multiplied on loading */
__global__ void dotKernel(const unsigned *a, const unsigned *b, u64 *partial, unsigned n)
{
    extern __shared__ u64 s[];
    unsigned tid = threadIdx.x;
    unsigned i = blockIdx.x * (2 * blockDim.x) + tid;

    u64 v = 0;
    if (i < n)
        v = (u64)a[i] * b[i];
    if (i + blockDim.x < n)
        v += (u64)a[i + blockDim.x] * b[i + blockDim.x];
    s[tid] = v;

    for (unsigned d = blockDim.x / 2; d != 0; d >>= 1) {
        __syncthreads();
        if (tid < d)
            s[tid] += s[tid + d];
    }
    if (tid == 0)
        partial[blockIdx.x] = s[0];
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 70001u;
    if (n == 0 || n > 100000000u) { puts("n must be 1 .. 100000000"); return 1; }

    unsigned blocks = (n + 2 * BLOCK_SIZE - 1) / (2 * BLOCK_SIZE);
    size_t bytes = (size_t)n * sizeof(unsigned);
    unsigned *a, *b, *d_a, *d_b;
    u64 *p, *d_p, gpu = 0, cpu = 0;

    CUDA_OK(cudaMallocHost((void **)&a, bytes));
    CUDA_OK(cudaMallocHost((void **)&b, bytes));
    CUDA_OK(cudaMallocHost((void **)&p, blocks * sizeof(u64)));
    CUDA_OK(cudaMalloc((void **)&d_a, bytes));
    CUDA_OK(cudaMalloc((void **)&d_b, bytes));
    CUDA_OK(cudaMalloc((void **)&d_p, blocks * sizeof(u64)));

    for (unsigned i = 0; i < n; i++) {
        a[i] = i % 1000;
        b[i] = (i * 7u) % 501;
        cpu += (u64)a[i] * b[i];
    }

    CUDA_OK(cudaMemcpyAsync(d_a, a, bytes, cudaMemcpyHostToDevice, 0));
    CUDA_OK(cudaMemcpyAsync(d_b, b, bytes, cudaMemcpyHostToDevice, 0));
    dotKernel<<<blocks, BLOCK_SIZE, BLOCK_SIZE * sizeof(u64)>>>(d_a, d_b, d_p, n);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpyAsync(p, d_p, blocks * sizeof(u64), cudaMemcpyDeviceToHost, 0));
    CUDA_OK(cudaDeviceSynchronize());

    for (unsigned i = 0; i < blocks; i++)
        gpu += p[i];

    printf("gpu=%llu cpu=%llu %s\n", gpu, cpu, gpu == cpu ? "ok" : "DIFFERENT");

    cudaFree(d_a); cudaFree(d_b); cudaFree(d_p);
    cudaFreeHost(a); cudaFreeHost(b); cudaFreeHost(p);
    return gpu == cpu ? 0 : 1;
}
